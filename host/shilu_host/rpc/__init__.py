"""The JSON-RPC surface of both protocols: messages, dispatch, and the stdio loop."""
