import type { Failure } from './answer.ts'

export interface ClientOptions {
  /**
   * Sign id and password, a token, or a function that returns a token for each attempt. If the function throws, nothing is sent.
   * After a 401 it is called once more, with the refusal. If it then returns another token, the request is sent again.
   */
  readonly auth?: Auth | undefined
  /** The language of messages, as in Accept-Language. */
  readonly language?: string | undefined
  /** The number of retries, made only if a retry may help and can do no harm. Default 6, about ten seconds in all; 0 turns retries off. */
  readonly retries?: number | undefined
  /** The time limit of one attempt. Default 30 s. An upload, and a request that waits for changes, may take longer. */
  readonly timeoutMs?: number | undefined
  /** The longest pause between two attempts. If the service asks for a longer one, its refusal is returned. Default 20 s. */
  readonly longestPauseMs?: number | undefined
  /** Called before each pause between two attempts, for example to show that the caller waits. */
  readonly onPause?: ((pause: Pause) => void) | undefined
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

export interface Pause {
  readonly waitMs: number
  /** The failure after which the request is retried. */
  readonly failure: Failure
  /** Resolves at the end of the pause, or as soon as the caller aborts. */
  readonly over: Promise<void>
}

export type Auth =
  | { readonly signId: string; readonly password: string }
  | { readonly token: string | ((refusal?: Failure) => string | Promise<string>) }

/** Options of a single call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The track id of the request (X-Track); random if not set. */
  readonly track?: string | undefined
  /** The Idempotency-Key of a create or patch; random if not set. Set it to repeat the same request safely after a crash. */
  readonly key?: string | undefined
}
