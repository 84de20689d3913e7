export interface ClientOptions {
  /** Sign id and password, a token, or a function that gives a fresh token for each attempt: where it throws, nothing is sent. */
  readonly auth?: Auth | undefined
  /** The languages of messages, as Accept-Language has them. */
  readonly language?: string | undefined
  /** How often a request is sent again when that may help and cannot do harm; 6 if not set, some ten seconds in all, and 0 for never. */
  readonly retries?: number | undefined
  /** The longest that one attempt may take; 30 s if not set. */
  readonly timeoutMs?: number | undefined
  /** The longest pause between two attempts; a service that asks for more has its refusal handed on. 20 s if not set. */
  readonly longestPauseMs?: number | undefined
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

export type Auth =
  | { readonly signId: string; readonly password: string }
  | { readonly token: string | (() => string | Promise<string>) }

/** Options of a single call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The caller's own name of the request. */
  readonly track?: string | undefined
  /** The Idempotency-Key of a creation or a patch that may be asked for again after a crash; a new one if not set. */
  readonly key?: string | undefined
}
