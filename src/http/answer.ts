import type { HeaderList } from './headers.ts'

/** What goes back to the caller, apart from the fields that every answer has. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderList
  /** What a page may load. An answer that is not a page may load nothing. */
  readonly contentSecurityPolicy?: string
  readonly body?: string | Buffer | AsyncIterable<string | Buffer>
}
