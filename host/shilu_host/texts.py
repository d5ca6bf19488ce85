"""What the commands say to a person, in English and Chinese: one literal table, a row a text.

Errors, protocols and JSON stay English. A test holds both columns to the same fields, and every row to a use.
"""

from __future__ import annotations

from shilu_core.layout import Language

_TEXTS: dict[str, tuple[str, str]] = {
    # key: (English, Chinese)
    "vault-made": ("vault ({layout}): {folder}", "记忆库（{layout}）：{folder}"),
    "configuration-made": ("configuration: {file}", "配置文件：{file}"),
    "configuration-own": ("to use it by default: set {line} in {file}", "要默认使用它，请在 {file} 中写：{line}"),
    "programs-here": (
        "agent programs here: {titles}; to wire them: shilu deploy preview --create, then apply",
        "本机的 Agent 程序：{titles}；接入方法：先 shilu deploy preview --create，再 apply",
    ),
    "init-next": (
        'next: shilu submit "a fact" --agent me, then promoter --review',
        "下一步：shilu submit \"一条事实\" --agent me，然后 promoter --review",
    ),
    "submitted": ("submitted {count} fact(s) -> {path}", "已提交 {count} 条 -> {path}"),
    # review
    "review-apply": (
        "next: promoter --apply writes what is ticked ({count})",
        "下一步：promoter --apply 写入已勾选的 {count} 条",
    ),
    "review-rule": (
        "next: promoter --adjudicate rules on what waits ({count}), or mark it in the lists",
        "下一步：promoter --adjudicate 逐条裁决待定的 {count} 条，也可以在清单里标记",
    ),
    "review-settle": (
        "nothing to decide; promoter --apply settles {count} (duplicates, refused)",
        "没有要裁决的；promoter --apply 会了结 {count} 条（重复、拒收）",
    ),
    "quarantined-file": (
        "quarantined: {name} ({secret}); to see or end it: shilu quarantine list|purge",
        "已隔离：{name}（{secret}）；查看或清除：shilu quarantine list|purge",
    ),
    "refused-line": ("refused: {name}: {reason}", "拒收：{name}：{reason}"),
    "age-minutes": ("{count} min", "{count} 分钟"),
    "age-hours": ("{count} h", "{count} 小时"),
    "age-days": ("{count} days", "{count} 天"),
    # apply
    "applied": (
        "applied {written} fact(s), rejected {rejected}, settled {settled}",
        "已写入 {written} 条，拒绝 {rejected} 条，了结 {settled} 条（重复、拒收）",
    ),
    "would-apply": (
        "would write {written} fact(s), rejected {rejected}, settled {settled}",
        "将写入 {written} 条，拒绝 {rejected} 条，了结 {settled} 条（重复、拒收）",
    ),
    "apply-nothing": (
        "nothing to write: nothing is ticked, and nothing new is reviewed (promoter --review)",
        "没有可写入的：没有勾选的条目，也没有审阅过的新提交（promoter --review）",
    ),
    "apply-waiting": (
        "still waiting for you: {count}; rule on them: promoter --adjudicate",
        "仍等你裁决：{count} 条；逐条裁决：promoter --adjudicate",
    ),
    "ends": ("  (ends: {text})", "（取代：{text}）"),
    "moved": ("moved {count} submission(s) to {folder}", "已把 {count} 个提交移到 {folder}"),
    "would-move": ("would move {count} submission(s)", "将移走 {count} 个提交"),
    "batch": ("batch {plan} (take it back with: shilu undo {plan})", "批次 {plan}（撤销：shilu undo {plan}）"),
    # decide, adjudicate
    "decided-next": ("write it with: promoter --apply", "写入：promoter --apply"),
    "adjudicate-left": ("left as they are: {count}", "未裁决：{count} 条"),
    # undo, log, verify
    "took-back": ("took back ({kind}) {note}: {text}", "已撤销（{kind}）{note}：{text}"),
    "would-take-back": ("would take back ({kind}) {note}: {text}", "将撤销（{kind}）{note}：{text}"),
    "undone-by": ("  (undone by {plan})", "（已由 {plan} 撤销）"),
    "log-nothing": ("nothing was written yet", "还没有写入记录"),
    "log-no-match": ("no row fits; leave a filter out", "没有符合条件的记录，请放宽条件"),
    "kind-add": ("add", "写入"),
    "kind-end": ("end", "取代"),
    "kind-remove": ("remove", "撤回"),
    "kind-undo": ("undo", "撤销"),
    "kind-foreign": ("by hand", "手改"),
    "verify-equal": ("equal: {count} note(s) are what the ledger's replay gives", "一致：{count} 篇笔记与账本重放的结果相同"),
    "verify-by-hand": ("changed by hand since", "之后被手工改过"),
    # search, show, graph, index
    "search-nothing": ("no matches", "没有找到。"),
    "search-weak": (
        "weak: these hits probably do not answer the question (probability {answered:.2f})",
        "弱：这些结果多半没有回答问题（概率 {answered:.2f}）",
    ),
    "search-left-out": ("left out: {reason}", "未参与：{reason}"),
    "fact-written": ("written {when}  source {source}  agent {agent}", "写入 {when}  来源 {source}  提交者 {agent}"),
    "fact-ended": ("superseded  ended {when}", "已取代  有效至 {when}"),
    "graph-none": ("none", "没有"),
    "graph-group": ("{number}. {count} facts", "{number}. {count} 条事实"),
    "index-counts": (
        "{notes} notes, {facts} facts, {passages} other passages",
        "{notes} 篇笔记，{facts} 条事实，{passages} 段其他文字",
    ),
    "index-embedded": ("{count} embedded by {embedder}", "{count} 条已由 {embedder} 生成向量"),
    "index-no-embedder": ("no embedder works here", "这里没有可用的向量模型"),
    # status
    "status-vault": ("vault", "记忆库"),
    "status-layout": ("layout", "布局"),
    "status-configuration": ("configuration", "配置文件"),
    "status-ledger": ("ledger", "账本"),
    "status-notes": ("notes", "笔记"),
    "status-facts": ("facts", "事实"),
    "status-superseded": ("superseded", "已取代"),
    "status-inbox files": ("inbox files", "提交区文件"),
    "status-pending": ("pending", "待晋升"),
    "status-conflicts": ("conflicts", "冲突待裁决"),
    "status-oldest": ("oldest", "最早一条"),
    "status-still being written": ("still being written", "仍在写入"),
    "status-ignored": ("ignored in the inbox", "提交区中忽略的文件"),
    "status-quarantined": ("quarantined", "已隔离"),
    "status-interrupted": ("interrupted", "中断的批次"),
    "status-settings out of range": ("settings out of range", "越界的设置"),
    "status-vectors": ("vectors", "向量"),
    "vectors-some": ("{embedded} of {lines} lines, by {embedder}", "{lines} 条中已有 {embedded} 条（{embedder}）"),
    "vectors-no-model": ("no embedder works here: search goes by words", "这里没有可用的向量模型：按词语检索"),
    "vectors-none": (
        "none yet: search goes by words; the daemon makes them, or: shilu index --embed",
        "还没有：按词语检索；守护进程会生成，也可以：shilu index --embed",
    ),
    "status-maintenance": ("maintenance goes on", "正在维护"),
    "work-index": ("the index", "索引"),
    "work-forget": ("scan for what can be forgotten", "遗忘扫描"),
    "work-doctor": ("checkup", "体检"),
    "status-daemon": ("daemon", "守护进程"),
    "status-harnesses": ("harnesses", "已接入的程序"),
    "status-next": ("next", "下一步"),
    # doctor; the keys are `find-` and a finding's kind
    "find-link-out": ("{place} leads out of the vault ({detail}): not read", "{place} 指向记忆库之外（{detail}）：不会读取"),
    "find-link-nowhere": ("{place} leads nowhere ({detail}): not read", "{place} 指向不存在的位置（{detail}）：不会读取"),
    "find-link-loop": ("{place} leads in a circle ({detail}): not followed", "{place} 绕回自身（{detail}）：不会跟随"),
    "find-front-matter": (
        "{place}: its front matter is no valid YAML ({detail}); the note is read as text",
        "{place}：文首属性不是有效的 YAML（{detail}）；这篇笔记按正文读取",
    ),
    "find-not-utf-8": (
        "{place} is no UTF-8 text (byte {detail}); save it as UTF-8",
        "{place} 不是 UTF-8 文本（第 {detail} 字节）；请存成 UTF-8",
    ),
    "find-wikilink-none": ("{place}: {detail} names no note", "{place}：{detail} 没有对应的笔记"),
    "find-wikilink-several": (
        "{place}: {detail} names several notes; write its path",
        "{place}：{detail} 对应多篇笔记；请写明路径",
    ),
    "find-sync-copy": (
        "{place} is a sync program's or editor's copy: left out of recall; merge or delete it",
        "{place} 是同步程序或编辑器留下的副本：不参与召回；请合并或删除",
    ),
    "find-temporary": (
        "{place} was half written when its program was killed; the next write there removes it",
        "{place} 写到一半时程序被终止；下次在那里写入时会清除",
    ),
    "find-lock": (
        "{place} was left by a dead process ({detail}); the next write takes it over",
        "{place} 由已结束的进程留下（{detail}）；下次写入时会接管",
    ),
    "find-inbox-ignored": (
        "{place} is no submission (.md, .markdown or .txt): no review takes it",
        "{place} 不是提交（.md、.markdown 或 .txt）：审阅不会处理",
    ),
    "find-interrupted": (
        "batch {place} of {detail} was interrupted; promoter --apply finishes it",
        "批次 {place}（{detail}）中断了；promoter --apply 会补完",
    ),
    "find-ledger-broken": (
        "{place}: the ledger does not add up ({detail}); keep the file, and see shilu verify",
        "{place}：账本对不上（{detail}）；请保留账本文件，并查看 shilu verify",
    ),
    "find-by-hand": (
        "{place} was changed by hand in {detail} place(s); shilu verify shows them",
        "{place} 有 {detail} 处手工改动；shilu verify 会列出",
    ),
    "find-index-rebuilt": ("{detail} ({place})", "索引损坏，已重建：{detail}（{place}）"),
    "find-index-stale": (
        "{place} is not in the index as it stands; make it anew: shilu doctor --repair",
        "{place} 在索引中不是最新的；重建索引：shilu doctor --repair",
    ),
    "find-index-blind": (
        "a search for a fact's own words does not find it ({detail}); make the index anew: shilu doctor --repair",
        "用一条事实的原文搜不到它（{detail}）；重建索引：shilu doctor --repair",
    ),
    "find-index-counts": (
        "the index holds {place} facts, the notes {detail}; make it anew: shilu doctor --repair",
        "索引有 {place} 条事实，笔记里有 {detail} 条；重建索引：shilu doctor --repair",
    ),
    "doctor-index": (
        "{notes} notes, {facts} facts; in the index {indexed}, proved by a search",
        "{notes} 篇笔记，{facts} 条事实；索引中 {indexed} 条，已用一次真实搜索验证",
    ),
    "doctor-done": ("{count} finding(s), {faults} of them fault(s)", "共 {count} 项，其中故障 {faults} 项"),
    # forget
    "forget-ended": ("superseded on {since}", "{since} 被取代"),
    "forget-unused": ("written on {since}, not recalled since long", "{since} 写入，长期没有召回"),
    "forget-found": (
        "{count} candidate(s), {days} days or older; take one back with: shilu retract FACT, or delete its line",
        "共 {count} 条候选（{days} 天以上）；撤回一条：shilu retract FACT，或直接删除那一行",
    ),
    "forget-nothing": ("nothing to forget: no candidate of {days} days or older", "没有可遗忘的：没有 {days} 天以上的候选"),
    # daemon
    "daemon-not-running": (
        "not running (a hook or tool starts it: shilu daemon start)",
        "没有运行（钩子或工具会启动它，也可以：shilu daemon start）",
    ),
    "daemon-silent": ("pid {pid} does not answer (end it: shilu daemon stop)", "pid {pid} 没有应答（结束它：shilu daemon stop）"),
    "daemon-line": ("pid {pid}, port {port}; {recalled}", "pid {pid}，端口 {port}；{recalled}"),
    "daemon-of": (
        "daemon of {vault}: pid {pid}, up {seconds} s, port {port}",
        "{vault} 的守护进程：pid {pid}，已运行 {seconds} 秒，端口 {port}",
    ),
    "daemon-last": (
        "last recall: {reason} - {meaning} ({harness})",
        "最近一次召回：{reason} - {meaning}（{harness}）",
    ),
    "daemon-no-recall": ("no recall yet", "还没有召回过"),
    "daemon-warning": ("; warning: {warning}", "；警告：{warning}"),
    "off": ("off", "关闭"),
    "unknown": ("unknown", "未知"),
    "daemon-runs-already": ("the daemon of {vault} runs already (pid {pid})", "{vault} 的守护进程已在运行（pid {pid}）"),
    "daemon-runs": ("the daemon of {vault} runs (pid {pid})", "{vault} 的守护进程已启动（pid {pid}）"),
    "daemon-none": ("no daemon runs for this vault", "这个记忆库没有守护进程在运行"),
    "daemon-hung": (
        "the daemon (pid {pid}) hung and was killed; no write was under way that a new start won't finish",
        "守护进程（pid {pid}）没有反应，已强制结束；未完成的写入会在下次启动时补完",
    ),
    "daemon-ended": ("the daemon (pid {pid}) has ended", "守护进程（pid {pid}）已结束"),
    "daemon-hangs": (
        "the daemon (pid {pid}) runs and does not answer; end it: shilu daemon stop",
        "守护进程（pid {pid}）在运行但没有应答；结束它：shilu daemon stop",
    ),
    # regular runs
    "job-review": ("review", "审阅"),
    "job-forgetting": ("forgetting", "遗忘扫描"),
    "job-hygiene": ("hygiene", "体检"),
    "run-line": ("{job}: {last}, {next}", "{job}：{last}，{next}"),
    "run-last": ("last {began} ({outcome})", "上次 {began}（{outcome}）"),
    "run-done": ("done", "完成"),
    "run-running": ("running", "进行中"),
    "run-never": ("not run yet", "还没有运行过"),
    "run-due": ("due now", "现在到期"),
    "run-next": ("next {when}", "下次 {when}"),
    "run-made": ("{job} of {slot}: {outcome}", "{job}（{slot}）：{outcome}"),
    "run-none": ("no regular runs: {reason}", "没有定期任务：{reason}"),
    # quarantine, ledger, token, import, protocol
    "quarantine-secret": ("a secret", "明文密钥"),
    "quarantined": ("quarantined: {count} file(s) in {folder}", "已隔离 {count} 个文件，在 {folder}"),
    "purged": ("purged: {count} file(s) in {folder}", "已清除 {count} 个文件，原在 {folder}"),
    "written-to": ("written to {file}", "已写到 {file}"),
    "imported-rows": ("imported {count} row(s)", "已导入 {count} 行"),
    "token-none": ("no agent has a token; make one: shilu token new AGENT", "还没有 Agent 持有令牌；新建：shilu token new AGENT"),
    "token-revoked": ("{count} tokens of {agent} were revoked", "已吊销 {agent} 的 {count} 个令牌"),
    "import-dry": ("{count} entries; nothing was stored", "共 {count} 条；没有保存任何内容"),
    "imported": ("{count} entries stored", "已保存 {count} 条"),
    "protocol-audit-differs": ("{entry}: by the audit {replayed}; stored {stored}", "{entry}：按审计记录是 {replayed}；实际保存的是 {stored}"),
    "protocol-absent": ("absent", "不存在"),
    "protocol-differences": ("{count} differences", "{count} 处不同"),
    "protocol-equal": ("the entries are what the audit rows say", "条目与审计记录一致"),
    "protocol-waiting": ("{count} waiting; rule with: shilu protocol allow|refuse ID", "{count} 条等待裁决；裁决：shilu protocol allow|refuse ID"),
    "protocol-none-waiting": ("{count} waiting", "{count} 条等待裁决"),
    "protocol-refused": ("refused: {item}", "已拒绝：{item}"),
    "protocol-allowed": ("allowed: {item} ({entries})", "已允许：{item}（{entries}）"),
}  # fmt: skip


def text(key: str, language: Language, **parts: object) -> str:
    """The text in one language with its fields filled in; raises KeyError for a key that the table does not have."""
    return _TEXTS[key][1 if language == "zh" else 0].format(**parts)


def keys() -> tuple[str, ...]:
    """Every key of the table, for the test over it."""
    return tuple(_TEXTS)
