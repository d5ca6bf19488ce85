
"""Secrets that are known by their own form, one row for each: providers' tokens, keys, addresses with a password.

The forms are the providers' published ones. `hints` are literal pieces of which one must occur before the pattern
is tried, so that a text without any costs one search for each piece. Every pattern is bounded. Examples are kept in
ROT13, so that scanners leave this file alone; `counter` is a near miss that must pass. A test holds every row true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_START = r"(?<![A-Za-z0-9])"
_WORD = r"[A-Za-z0-9_-]"


@dataclass(frozen=True)
class Format:
    """`group` names the part of the pattern that is the secret (0: all of it)."""

    kind: str
    hints: tuple[str, ...]
    pattern: str
    example: str  # ROT13
    counter: str
    group: int = 0
    joins: bool = True  # may be looked for in a text whose blanks are taken out

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    @cached_property
    def unanchored(self) -> re.Pattern[str]:
        """Without the look at what stands before, for a text whose blanks are taken out."""
        return re.compile(self.pattern.removeprefix(_START))


def _token(kind: str, prefix: str, body: str, example: str, counter: str = "") -> Format:
    """A token with a literal prefix and a body pattern."""
    return Format(kind, (prefix,), _START + re.escape(prefix) + body, example, counter or f"tokens of this kind start with {prefix}")


PROVIDERS: tuple[Format, ...] = (
    Format("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), _START + r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])",
           "NXVN3KZCYR5DMF7JG2PI", "AKIA is the prefix of long-lived AWS key ids"),
    Format("aws-secret-key", ("aws", "AWS", "ecret"), r"(?i)(?:aws|secret)[\w .-]{0,30}key[\w\"' ]{0,10}(?:[=:]|\bis\b|是|为)\s{0,3}[\"'`]?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
           "njf_frperg_npprff_xrl = d8Ec2IyZ4Xa/W7gU+f1OqT9eD3kL6izCbFuAwE5x", "aws_secret_access_key = ${AWS_SECRET}", group=1),
    _token("github-token", "ghp_", r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{12,255}", "tuc_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    _token("github-token", "gho_", r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{12,255}", "tub_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    _token("github-token", "ghu_", r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{12,255}", "tuh_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    _token("github-token", "ghs_", r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{12,255}", "tuf_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    _token("github-token", "ghr_", r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{12,255}", "tue_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    _token("github-token", "github_pat_", r"[A-Za-z0-9_]{22,255}", "tvguho_cng_11NOPQRST0d8Ec2IyZ4XaW7_gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9eD3k"),
    Format("gitlab-token", ("gl",), _START + r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|oas|wt)-[A-Za-z0-9_.-]{20,255}",
           "tycng-d8Ec2IyZ4XaW7gUf1OqT", "glpat- is the prefix of a GitLab token"),
    Format("slack-token", ("xox",), _START + r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}", "kbko-2148163204817-2148163204817-d8Ec2IyZ4XaW7gUf1OqT9eD3", "bot tokens start with xoxb-"),
    _token("slack-token", "xapp-", r"\d-[A-Za-z0-9-]{10,250}", "kncc-1-N01OPQRST23-2148163204817-d8Ec2IyZ4XaW7gUf1OqT9eD3"),
    Format("webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,250}",
           "uggcf://ubbxf.fynpx.pbz/freivprf/G01OPQRST/O01OPQRST/d8Ec2IyZ4XaW7gUf1OqT9eD3", "webhooks live under https://hooks.slack.com/services/"),
    Format("webhook", ("/api/webhooks/",), r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/[A-Za-z0-9_-]{30,120}",
           "uggcf://qvfpbeq.pbz/ncv/jroubbxf/921481632048179214/d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izC", "https://discord.com/api/webhooks/{id}/{token}"),
    Format("webhook", ("open-apis/bot/",), r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/[A-Za-z0-9-]{20,60}",
           "uggcf://bcra.srvfuh.pa/bcra-ncvf/obg/i2/ubbx/3s8n21pq-9o47-4r2s-8p1q-6n5o4p3q2r1s", "https://open.feishu.cn/open-apis/bot/v2/hook/<id>"),
    Format("webhook", ("webhook/send?key=",), r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[A-Za-z0-9-]{20,60}",
           "uggcf://dlncv.jrvkva.dd.pbz/ptv-ova/jroubbx/fraq?xrl=3s8n21pq-9o47-4r2s-8p1q-6n5o4p3q2r1s", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=YOUR_KEY"),
    Format("webhook", ("robot/send?access_token=",), r"oapi\.dingtalk\.com/robot/send\?access_token=[0-9a-f]{32,80}",
           "uggcf://bncv.qvatgnyx.pbz/ebobg/fraq?npprff_gbxra=4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4p7r9o2q8", "https://oapi.dingtalk.com/robot/send?access_token=<token>"),
    Format("webhook", ("webhook.office.com/", "logic.azure.com"), r"webhook\.office\.com/webhookb2/[A-Za-z0-9@-]{36,90}/IncomingWebhook/[A-Za-z0-9]{20,60}/|logic\.azure\.com[:\d]{0,6}/workflows/[^\s\"']{20,200}[?&]sig=[A-Za-z0-9_%-]{20,90}",
           "uggcf://rknzcyr.jroubbx.bssvpr.pbz/jroubbxo2/3s8n21pq-9o47-4r2s-8p1q-6n5o4p3q2r1s@3s8n21pq-9o47-4r2s-8p1q-6n5o4p3q2r1s/VapbzvatJroubbx/4n7s1p9r2o8q3056s1n4p7r9o2q84n7s/", "https://contoso.webhook.office.com/webhookb2/ is where Teams listens"),
    Format("dingtalk-secret", ("SEC",), _START + r"SEC[0-9a-f]{64}(?![0-9a-f])", "FRP4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r", "SEC10 is a form of the exchange"),
    Format("discord-token", (".",), _START + r"[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}(?![A-Za-z\d])",
           "ZGVmAQH2Amt5ZQRlZmD1AwTZ.TnOpQr.d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCb", "MainApplication.Module.Component", joins=False),
    Format("telegram-token", (":AA", ":A"), r"(?<!\d)\d{8,10}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])", "7481632048:NNUd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF", "12345678:ABC", joins=False),
    Format("stripe-key", ("k_live_", "k_test_"), _START + r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,250}", "fx_yvir_d8Ec2IyZ4XaW7gUf1OqT9eD3", "pk_live_d8Rp2VlM4KnJ7tHs1BdG9rQ3 is the publishable key"),
    _token("stripe-key", "whsec_", r"[A-Za-z0-9+/=]{20,250}", "jufrp_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF"),
    Format("openai-key", ("sk-",), _START + r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,250}", "fx-cebw-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5x", "sk-proj-... is the form of a project key"),
    Format("anthropic-key", ("sk-ant-",), _START + r"sk-ant-[A-Za-z0-9_-]{20,250}", "fx-nag-ncv03-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5x-gUf1OqNN", "sk-ant- is the prefix"),
    Format("llm-key", ("sk-",), _START + r"sk-(?:or-v1-|or-|lf-|litellm-|kimi-)?(?=[A-Za-z0-9]{0,40}\d)[A-Za-z0-9]{20,250}", "fx-4n7s1p9r2o8q3056s1n4p7r9o2q84n7s", "task-oriented sk-learn estimators"),
    Format("google-api-key", ("AIza",), _START + r"AIza[A-Za-z0-9_-]{30,45}", "NVmnFld8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF5", "keys that start with AIza belong to Google"),
    _token("google-oauth", "GOCSPX-", r"[A-Za-z0-9_-]{20,60}", "TBPFCK-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6i"),
    _token("google-oauth", "ya29.", r"[A-Za-z0-9_-]{20,500}", "ln29.n0NsU8d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    _token("google-oauth", "1//0", r"[A-Za-z0-9_-]{30,200}", "1//0td8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec", "see chapter 1//02"),
    _token("huggingface-token", "hf_", r"(?=[a-z_]{0,60}[A-Z0-9])[A-Za-z0-9]{20,80}", "us_d8EcvIyZkXaWgUfyOqTbeDkLvizCbFuAwE", "hf_transfer_enable_everything_by_default"),
    _token("npm-token", "npm_", r"(?=[a-z]{0,60}[A-Z0-9])[A-Za-z0-9]{30,80}", "acz_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE", "npm_config_registry"),
    Format("pypi-token", ("pypi-AgE",), _START + r"pypi-AgE[A-Za-z0-9_-]{30,300}", "clcv-NtRVpUyjnF5ipzpd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4", "pypi-AgE... tokens belong into the keyring"),
    _token("rubygems-key", "rubygems_", r"[0-9a-f]{48}", "eholtrzf_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4"),
    _token("docker-token", "dckr_", r"(?:pat|oat)_[A-Za-z0-9_-]{20,80}", "qpxe_cng_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6"),
    Format("sendgrid-key", ("SG.",), _START + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,60}", "FT.d8Ec2IyZ4XaW7gUf1OqT9e.d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2", "the key has the form SG.x.y"),
    Format("mailgun-key", ("key-",), _START + r"key-[0-9a-f]{32}(?![0-9a-f])", "xrl-4n7s1p9r2o8q3056s1n4p7r9o2q84n7s", "key-value stores"),
    Format("mailchimp-key", ("-us",), r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}(?!\d)", "4n7s1p9r2o8q3056s1n4p7r9o2q84n7s-hf14", "region eu-us1"),
    Format("twilio-key", ("SK",), _START + r"SK[0-9a-f]{32}(?![0-9a-f])", "FX4n7s1p9r2o8q3056s1n4p7r9o2q84n7s", "SK hynix made the memory"),
    Format("azure-secret", ("Q~",), r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])", "nOp8D~d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuA", "the mark 8Q~ stands inside", joins=False),
    Format("azure-storage-key", ("AccountKey=", "SharedAccessKey="), r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,90}={0,2})", "NppbhagXrl=d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2I==", "AccountKey=<key>", group=1),
    Format("azure-sas", ("sig=",), r"[?&]sig=([A-Za-z0-9%+/]{30,100}={0,2}(?:%3[Dd])?)", "uggcf://k.oybo.pber.jvaqbjf.arg/o?fi=2024-01-01&fvt=d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2%3Q", "https://x.blob.core.windows.net/b?sig=<signature>", group=1),
    Format("databricks-token", ("dapi", "dose"), _START + r"d(?:api|ose)[0-9a-f]{32}(?:-\d)?(?![0-9a-f])", "qncv4n7s1p9r2o8q3056s1n4p7r9o2q84n7s", "dapibus ac facilisis"),
    Format("digitalocean-token", ("_v1_",), _START + r"do[opr]_v1_[0-9a-f]{40,70}", "qbc_i1_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r", "dop_v1_ is the prefix"),
    Format("vault-token", ("hvs.", "hvb.", "hvr."), _START + r"hv[sbr]\.[A-Za-z0-9_-]{20,300}", "uif.PNRFVWd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5x", "service tokens start with hvs."),
    Format("terraform-token", (".atlasv1.",), _START + r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,90}", "d8Ec2IyZ4XaW7g.ngynfi1.d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1", "the mark is .atlasv1."),
    _token("pulumi-token", "pul-", r"[0-9a-f]{40}", "chy-4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q"),
    Format("doppler-token", ("dp.",), _START + r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}", "qc.cg.d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2I", "dp.pt. is the prefix"),
    _token("netlify-token", "nfp_", r"[A-Za-z0-9]{30,60}", "asc_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    Format("vercel-token", ("vc",), _START + r"vc[pkiar]_[A-Za-z0-9]{24,80}", "ipc_d8Ec2IyZ4XaW7gUf1OqT9eD3", "vcp_ is the prefix"),
    Format("fly-token", ("FlyV1 ", "fo1_"), _START + r"(?:FlyV1 fm\d[a-z]?_[A-Za-z0-9+/=,_-]{30,600}|fo1_[A-Za-z0-9_-]{40,60})", "SylI1 sz2_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5x", "FlyV1 is the scheme"),
    _token("supabase-token", "sbp_", r"[0-9a-f]{40}", "foc_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q"),
    _token("supabase-token", "sb_secret_", r"[A-Za-z0-9_-]{20,60}", "fo_frperg_d8Ec2IyZ4XaW7gUf1OqT9e_D3kL6izC"),
    Format("planetscale-token", ("pscale_",), _START + r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,70}", "cfpnyr_gxa_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8", "pscale_tkn_ is the prefix"),
    _token("neon-key", "napi_", r"[a-z0-9]{40,80}", "ancv_d8ec2iyz4xaw7guf1oqt9ed3kl6izcbfuawe5xd8ec2iyz4xaw7guf1oqt9e"),
    Format("linear-key", ("lin_",), _START + r"lin_(?:api|oauth)_[A-Za-z0-9]{30,70}", "yva_ncv_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8", "lin_api_ is the prefix"),
    Format("notion-token", ("secret_", "ntn_"), _START + r"(?:secret_|ntn_)(?=[a-z_]{0,50}[A-Z0-9])[A-Za-z0-9]{40,50}", "aga_921481632048d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuA", "secret_manager_configuration_for_the_whole_team"),
    Format("airtable-token", ("pat",), _START + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", "cngd8Ec2IyZ4XaW7g.4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r", "path.to.module"),
    Format("figma-token", ("fig",), _START + r"fig[doru]_[A-Za-z0-9_-]{35,60}", "svtq_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8", "figd_ is the prefix"),
    Format("atlassian-token", ("ATATT3", "ATCTT3", "ATBB"), _START + r"(?:AT[AC]TT3[A-Za-z0-9_=-]{30,250}|ATBB[A-Za-z0-9_-]{24,60})", "NGNGG3kd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec=NO12PQ34", "ATATT3 is the prefix"),
    Format("shopify-token", ("shp",), _START + r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}", "fucng_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s", "shpat_ is the prefix"),
    Format("grafana-token", ("glsa_", "glc_"), _START + r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,400})", "tyfn_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF_4n7s1p9r", "glsa_ is the prefix"),
    Format("newrelic-key", ("NRAK-", "NRII-", "NRAA-", "NRJS-"), _START + r"NR(?:AK|II|AA|JS)-[A-Za-z0-9_-]{19,40}", "AENX-D8EC2IYZ4XAW7GUF1OQT9ED3KL6", "NRAK- is the prefix"),
    Format("sentry-token", ("sntry",), _START + r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}", "fagelh_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r", "sntryu_ is the prefix"),
    _token("posthog-key", "phx_", r"[A-Za-z0-9]{30,60}", "cuk_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE", "phc_d8Rp2VlM4KnJ7tHs1BdG9rQ3xY6vmPoShNjR is the public project key"),
    _token("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}", "CZNX-4n7s1p9r2o8q3056s1n4p7r9-4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p"),
    _token("onepassword-token", "ops_eyJ", r"[A-Za-z0-9_-]{40,2000}", "bcf_rlWd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4"),
    _token("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,60}", "NTR-FRPERG-XRL-1D8EC2IYZ4XAW7GUF1OQT9ED3KL6IZCOFUAWE5XD8EC2IYZ4XAW7GUF1OQT"),
    Format("tailscale-key", ("tskey-",), _START + r"tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{8,20}(?:CNTRL)?-[A-Za-z0-9]{16,60}", "gfxrl-nhgu-d8Ec2IyZ4XPAGEY-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF", "tskey-auth- is the prefix"),
    Format("alibaba-key", ("LTAI",), _START + r"LTAI(?=[A-Z]{0,30}[a-z0-9])[A-Za-z0-9]{12,26}(?![A-Za-z0-9])", "YGNV5gd8Ec2IyZ4XaW7gUf1O", "LTAI is the prefix of Alibaba key ids"),
    Format("tencent-key", ("AKID",), _START + r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])", "NXVQd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF", "AKID is the prefix"),
    Format("baidu-key", ("ALTAK",), _START + r"ALTAK[A-Za-z0-9]{21}(?![A-Za-z0-9])", "NYGNXd8Ec2IyZ4XaW7gUf1OqT9", "ALTAK is the prefix"),
    Format("volcengine-key", ("AKLT",), _START + r"AKLT[A-Za-z0-9]{30,60}", "NXYGd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2", "AKLT is the prefix"),
    _token("groq-key", "gsk_", r"[A-Za-z0-9]{30,80}", "tfx_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4X"),
    _token("xai-key", "xai-", r"[A-Za-z0-9]{40,100}", "knv-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9e"),
    _token("perplexity-key", "pplx-", r"[A-Za-z0-9]{30,80}", "ccyk-4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4"),
    _token("replicate-token", "r8_", r"[A-Za-z0-9]{30,60}", "e8_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5", "register r8_usr of the processor"),
    _token("fireworks-key", "fw_", r"(?=[a-z_]{0,30}[A-Z0-9])[A-Za-z0-9]{20,60}", "sj_3Md8Ec2IyZ4XaW7gUf1OqT9e", "fw_setenv"),
    _token("nvidia-key", "nvapi-", r"[A-Za-z0-9_-]{40,100}", "aincv-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9e"),
    _token("tavily-key", "tvly-", r"[A-Za-z0-9_-]{20,80}", "giyl-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF"),
    _token("firecrawl-key", "fc-", r"[0-9a-f]{32}", "sp-4n7s1p9r2o8q3056s1n4p7r9o2q84n7s", "fc-cache -f"),
    Format("langsmith-key", ("lsv2_",), _START + r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", "yfi2_cg_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s_4n7s1p9r2o", "lsv2_pt_ is the prefix"),
    _token("elevenlabs-key", "sk_", r"[0-9a-f]{40,64}", "fx_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4", "the column sk_customer_id"),
    Format("square-token", ("sq0", "EAAA"), _START + r"(?:sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,60}|EAAA[A-Za-z0-9_-]{56,64})", "fd0ngc-d8Ec2IyZ4XaW7gUf1OqT9e", "sq0atp- is the prefix"),
    _token("facebook-token", "EAA", r"[A-Za-z0-9]{80,300}", "RNNPd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9e", "the EAA was signed in 1992"),
    Format("heroku-key", ("HRKU-",), _START + r"HRKU-[A-Za-z0-9_-]{36,70}", "UEXH-3s8n21pq-9o47-4r2s-8p1q-6n5o4p3q2r1s", "HRKU- is the prefix"),
    Format("artifactory-key", ("AKCp", "cmVmdGtu"), _START + r"(?:AKCp\d[A-Za-z0-9]{50,90}|cmVmdGtu[A-Za-z0-9]{50,70})", "NXPc8d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izC", "AKCp is the prefix"),
    Format("sonar-token", ("sq",), _START + r"sq[pau]_[0-9a-f]{40}", "fdc_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q", "sqp_ is the prefix"),
    Format("cloudflare-key", ("v1.0-",), _START + r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}", "i1.0-4n7s1p9r2o8q3056s1n4p7r9-" + "4n7s1p9r2o8q3056s1n4" * 7, "release v1.0-rc1"),
    _token("okta-token", "SSWS ", r"[A-Za-z0-9_-]{30,60}", "FFJF 00d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE", "the scheme is SSWS in the header"),
    _token("jina-key", "jina_", r"[0-9a-f]{32}[A-Za-z0-9_-]{20,40}", "wvan_4n7s1p9r2o8q3056s1n4p7r9o2q84n7sd8Ec2IyZ4XaW7gUf1OqT9eD3kL6i"),
    _token("e2b-key", "e2b_", r"[0-9a-f]{40}", "r2o_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q"),
    _token("render-key", "rnd_", r"(?=[a-z_]{0,40}[A-Z0-9])[A-Za-z0-9]{24,60}", "eaq_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6i"),
    _token("buildkite-token", "bkua_", r"[0-9a-f]{40}", "oxhn_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q"),
    _token("pinecone-key", "pcsk_", r"[A-Za-z0-9_]{40,90}", "cpfx_d8Ec2I_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xn9GsJpd8Ec2IyZ4XaW7g"),
    _token("circleci-token", "CCIPAT_", r"[A-Za-z0-9]{16,30}_[0-9a-f]{40}", "PPVCNG_d8Ec2IyZ4XaW7gUf1OqT9e_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q"),
    _token("nuget-key", "oy2", r"[a-z0-9]{43}", "bl2d8ec2iyz4xaw7guf1oqt9ed3kl6izcbfuawe5xn9gsj"),
    _token("clojars-token", "CLOJARS_", r"[0-9a-f]{60}", "PYBWNEF_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4p7r9o2q84n7s"),
    _token("mapbox-token", "sk.eyJ", r"[A-Za-z0-9_-]{30,300}\.[A-Za-z0-9_-]{16,60}", "fx.rlWd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xn9GsJp.d8Ec2IyZ4XaW7gUf1OqT9e"),
    _token("razorpay-key", "rzp_", r"live_[A-Za-z0-9]{14,24}", "emc_yvir_d8Ec2IyZ4XaW7g"),
    _token("plaid-token", "access-", r"(?:production|sandbox|development)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "npprff-cebqhpgvba-4n7s1p9r-2o8q-4056-81n4-p7r9o2q84n7s"),
    _token("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,40}", "er_d8Ec2IyZ_4XaW7gUf1OqT9eD3kL6izCbF"),
    _token("dropbox-token", "sl.", r"(?:u\.)?[A-Za-z0-9_-]{100,1200}", "fy.d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xn9GsJpd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xn9GsJpd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xn9GsJp"),
    _token("context7-key", "ctx7sk-", r"[0-9a-f-]{36}", "pgk7fx-4n7s1p9r-2o8q-4056-81n4-p7r9o2q84n7s"),
    _token("sourcegraph-token", "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}", "ftc_4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q"),
    _token("contentful-token", "CFPAT-", r"[A-Za-z0-9_-]{40,50}", "PSCNG-d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xn9GsJ"),
    _token("prefect-key", "pnu_", r"[A-Za-z0-9]{36}", "cah_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE"),
    _token("crates-token", "cio", r"(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9])", "pvbd8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbF"),
    _token("scaleway-key", "SCW", r"[A-Z0-9]{17}(?![A-Za-z0-9])", "FPJD8EC2IYZ4XAW7GUF1"),
    _token("huggingface-token", "api_org_", r"(?=[a-z_]{0,60}[A-Z0-9])[A-Za-z0-9]{30,60}", "ncv_bet_d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuA"),
    Format("dsn", ("ingest", "sentry"), r"https://[0-9a-f]{32}:[0-9a-f]{32}@[\w.-]{4,100}/\d{1,20}", "uggcf://4n7s1p9r2o8q3056s1n4p7r9o2q84n7s:4n7s1p9r2o8q3056s1n4p7r9o2q84n7s@fragel.rknzcyr.arg/2", "errors go to sentry.example.net, project 2"),
)

KEYS: tuple[Format, ...] = (
    Format("private-key", ("PRIVATE KEY",), r"-----\s?BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?\s?-----(?:\s|\\n|\\r){0,8}(?:[\w-]{1,20}: [^\n]{0,100}\n){0,4}\s{0,4}(?:[A-Za-z0-9+/=]{8,200}(?:\s|\\n|\\r){0,8}){1,400}",
           "-----ORTVA EFN CEVINGR XRL-----\nZVVRcNVONNXPNDRN\n-----RAQ EFN CEVINGR XRL-----", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n-----END PUBLIC KEY-----", joins=False),
    Format("private-key", ("PuTTY-User-Key-File",), r"PuTTY-User-Key-File-\d: [^\0]{20,6000}?Private-(?:Lines|MAC): ?\S{1,200}", "ChGGL-Hfre-Xrl-Svyr-3: ffu-rq25519\nRapelcgvba: abar\nChoyvp-Yvarf: 2\nNNNN\nCevingr-Yvarf: 1\nNNNN", "PuTTY-User-Key-File is the header of a ppk", joins=False),
    Format("private-key", ("OpenVPN Static key",), r"-----BEGIN OpenVPN Static key V1-----\s{1,4}(?:[0-9a-f]{16,64}\s{0,4}){1,40}", "-----ORTVA BcraICA Fgngvp xrl I1-----\n4n7s1p9r2o8q3056\n-----RAQ BcraICA Fgngvp xrl I1-----", "an OpenVPN Static key is shared by both ends", joins=False),
    Format("private-key", ("b3BlbnNzaC1rZXk", "MIIE", "MIIJ", "MC4CAQAwBQYDK2Vw", "LS0tLS1CRUdJTi"), _START + r"(?:b3BlbnNzaC1rZXktdjEA|MII[EJ][A-Za-z0-9+/]{2}IBAAKCAQ|MII[EJ]v[A-Za-z0-9+/]IBADANBgkq|MC4CAQAwBQYDK2VwBCIEI|LS0tLS1CRUdJTi(?:BSU0Eg|BFQy|BPUEVOU1NI|BQUklWQVRF|BFTkNSWVBURUQg)[A-Za-z0-9+/]{8})[A-Za-z0-9+/=\s]{20,6000}",
           "o3OyoaAmnP1eMKxgqwRNNNNNOT5iozHNNNNRoz9hMDNNNNNNNNNONNNNZmNNNNgmo3O", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A", joins=False),
    Format("jwt", ("eyJ",), _START + r"eyJ[A-Za-z0-9_-]{8,400}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{16,2000}", "rlWuoTpvBvWVHmV1AvW9.rlWmqJVvBvVkZwZ0AGL3BQxjVa0.d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2", "a JWT starts with eyJhbGciOiJIUzI1NiJ9"),
    Format("jwt", ("eyJ",), _START + r"eyJ[A-Za-z0-9_-]{8,400}\.[A-Za-z0-9_-]{0,600}\.[A-Za-z0-9_-]{8,200}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{16,60}", "rlWuoTpvBvWEH0RtG0SSHPV9.d8Ec2IyZ4XaW7gUf1OqT9eD3.d8Ec2IyZ4XaW7gUf.d8Ec2IyZ4XaW7gUf1OqT9e.d8Ec2IyZ4XaW7gUf1OqT9e", "eyJ.a.b.c.d"),
    Format("extended-key", ("xprv", "yprv", "zprv", "tprv"), _START + r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{90,115}", "kceiTro9DsKur5s1iKUpSQaKoipKFukNSuNknEc1we5Odr3Ye2hkWKsblEafHFbgqI9lD739LRUxHeujYGMiEqCorGrSmAx2jWswzOzkZomqq7a", "xpub keys may be shared, xprv may not"),
    _token("nostr-key", "nsec1", r"[a-z0-9]{58}", "afrp1d8ec2iyz4xaw7guf1oqt9ed3kl6izcbfuawe5xd8ec2iyz4xaw7guf1oqt"),
    Format("totp-secret", ("otpauth://",), r"otpauth://[^\s\"']{1,200}?[?&]secret=[A-Za-z2-7]{10,128}", "bgcnhgu://gbgc/Rknzcyr:nqn?frperg=XZMGRXZMGRXZMGRX&vffhre=Rknzcyr", "otpauth://totp/Label?secret=<base32>"),
    Format("putty-or-wireguard", ("rivateKey", "resharedKey"), r"(?:PrivateKey|PresharedKey)\s{0,3}=\s{0,3}([A-Za-z0-9+/]{42,43}=)", "CevingrXrl = d8Ec2IyZ4XaW7gUf1OqT9eD3kL6izCbFuAwE5xd8Ec2=", "PublicKey = d8Rp2VlM4KnJ7tHs1BdG9rQ3xY6vmPoShNjR5kq8Rp2=", group=1),
    Format("kubeconfig-key", ("client-key-data",), r"client-key-data:\s{0,3}([A-Za-z0-9+/=]{20,6000})", "pyvrag-xrl-qngn: YF0gYF1PEHqWGvOFH0RtHSWWIxSHEFOYEK", "client-key-data: <base64>", group=1),
)

_USERINFO = r"[^\s:/@\"'<>（）]{0,80}"
ADDRESSES: tuple[Format, ...] = (
    Format("url-password", ("://",), r"(?i)(?<![a-z0-9])[a-z][a-z0-9+.-]{1,30}://" + _USERINFO + r":([^\s/@\"'<>]{1,120})@(?=[\w\[.$-])", "cbfgterfdy://nccfreire:u7ErgV9d@qo.rknzcyr.arg:5432/nccf", "postgresql://app:${DB_PASSWORD}@db.example.net:5432/apps", group=1),
    Format("url-password", ("://",), r"(?i)(?<![a-z0-9])[a-z][a-z0-9+.-]{1,30}://" + _USERINFO + r":([^\s@\"'<>]{1,120})@(?=[a-z0-9.-]{1,80}(?::\d{1,5})?/)", "nzdc://jbexre:n/k9#ErgV@zd.rknzcyr.arg:5672/i", "see https://docs.example.net:443/a and mail me@example.net", group=1, joins=False),
    Format("url-password", ("@",), r"(?<![\w/.:-])[\w.-]{2,40}:((?=[^\s@]{0,80}\d)[^\s:@/\"'<>]{6,80})@(?=(?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,10}(?![\w.]))", "hcybnq:u7ErgV9d@sgc.rknzcyr.arg", "mail ada@example.net at 12:30", group=1, joins=False),
    Format("url-token", ("https://", "http://"), r"https?://([A-Za-z0-9_-]{20,100})@(?![\w.-]{0,60}sentry)[\w.-]{3,100}/", "uggcf://d8Ec2IyZ4XaW7gUf1OqT9eD3@tvg.rknzcyr.arg/n.tvg", "https://git@git.example.net/a.git", group=1),
    Format("url-token", ("oken=", "ey=", "ecret=", "auth=", "assword=", "pwd="), r"(?i)[?&](?:access_token|auth_token|token|api[_-]?key|apikey|key|secret|client_secret|app_?secret|auth|password|passwd|pwd)=([A-Za-z0-9_.~%+/=-]{8,300})", "uggcf://ncv.rknzcyr.arg/i1/h?ncv_xrl=d8Ec2IyZ4XaW7gUf", "https://api.example.net/v1/u?token=<token>", group=1),
    Format("connection-string", ("assword=", "wd=", "ASSWORD=", "WD=", "assword =", "wd ="), r"(?i)[;\s\"'](?:password|pwd)\s?=\s?([^;\s\"']{3,120})\s?(?:;|\"|'|$)", "Freire=qo;Qngnonfr=n;Hfre Vq=nccf;Cnffjbeq=u7ErgV9d;Rapelcg=gehr", "Server=db;User Id=app;Password={password};", group=1),
    Format("basic-auth", ("asic ",), r"(?i)\bbasic\s{1,3}([A-Za-z0-9+/]{10,200}={0,2})(?![A-Za-z0-9+/])", "Nhgubevmngvba: Onfvp LKOjBauSq2Sro0qjnUmW", "Authorization: Basic <base64>", group=1),
    Format("bearer-token", ("earer ", "EARER "), r"(?i)\bbearer\s{1,3}((?=[A-Za-z_.~+/=-]{0,60}\d)[A-Za-z0-9_.~+/=-]{16,3000})", "Nhgubevmngvba: Ornere d8Ec2IyZ4XaW7gUf1OqT9eD3kL6i", "Authorization: Bearer authentication-required-here", group=1),
    Format("bearer-token", ("uthorization", "UTHORIZATION"), r"(?i)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:token|apikey|key|digest|bearer)?\s{0,3}((?=[A-Za-z_.~+/=-]{0,60}\d)[A-Za-z0-9_.~+/=-]{16,3000})", "{\"Nhgubevmngvba\": \"Gbxra 4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q\"}", "Authorization: required-for-all-endpoints", group=1),
    Format("wallet-key", ("0x", "rivate key", "私钥", "私鑰"), r"(?i)(?:private key|私钥|私鑰)[^\n]{0,40}?(?<![0-9a-f])((?:0x)?[0-9a-f]{64})(?![0-9a-f])|(?<![0-9a-f])0x[0-9a-f]{64}(?![0-9a-f])(?=[^\n]{0,40}(?:private key|私钥|私鑰))", "0k4n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r2o8q3056s1n4p7r9o2q84n7s1p9r vf gur cevingr xrl", "the private key signed 12 blocks", group=0),
    Format("netrc", ("machine ", "login "), r"(?i)\blogin\s{1,4}\S{1,80}\s{1,8}password\s{1,4}(\S{3,120})", "znpuvar tvg.rknzcyr.arg ybtva nqn cnffjbeq u7ErgV9d", "machine git.example.net login ada", group=1),
    Format("pgpass", (":5432:", ":5433:", ":*:", ":3306:"), r"(?m)(?<![\w/])[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w-]{1,60}:([^\s:]{3,120})", "qo.rknzcyr.arg:5432:nccf:nccfreire:u7ErgV9d", "listens on db:5432:tcp", group=1),
    Format("command-password", ("curl", "wget", "http"), r"\b(?:curl|http|https|wget)\b[^\n]{0,200}?(?:\s-u|\s--user|\s-a|\s--auth|\s--password|\s--http-password)[ =]?[\"']?(?:[^\s:\"'=]{1,80}:)?([^\s\"']{3,120})", "phey -h nqn:u7ErgV9d uggcf://rknzcyr.arg", "curl -u ada:$PASS https://example.net", group=1),
    Format("command-password", ("sshpass", "htpasswd", "mysql", "redis-cli", "smbclient", "mongosh", "docker login", "ansible", "mariadb", "plink", "psql", "PGPASSWORD", "rclone", "7z", "unzip", "zip "), r"\b(?:sshpass\s{1,3}-p\s{0,3}|htpasswd\s{1,3}-\w{0,4}b\w{0,4}\s{1,3}\S{1,120}\s{1,3}\S{1,60}\s{1,3}|(?:mysql(?:dump|admin)?|mariadb)\b[^\n|]{0,120}?\s-p|redis-cli\b[^\n|]{0,120}?\s-a\s{1,3}|mongosh?\b[^\n|]{0,120}?\s-p\s{1,3}|docker login\b[^\n|]{0,120}?\s-p\s{1,3}|plink\b[^\n|]{0,120}?\s-pw\s{1,3}|(?:7z|7za)\b[^\n|]{0,120}?\s-p|(?:un)?zip\b[^\n|]{0,120}?\s-P\s{1,3}|smbclient\b[^\n|]{0,120}?\s-U\s{1,3}[^\s%]{1,60}%)[\"']?([^\s\"'|;]{4,120})", "ffucnff -c u7ErgV9d ffu nqn@rknzcyr.arg", "sshpass -p \"$PASS\" ssh ada@example.net", group=1),
)

FORMATS: tuple[Format, ...] = PROVIDERS + KEYS + ADDRESSES
