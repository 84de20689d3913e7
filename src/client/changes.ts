import { type Answer, unwrap } from './answer.ts'
import type { Call } from './call.ts'
import type { Changes } from './messages.ts'
import type { CallOptions } from './options.ts'
import type { Query } from './sending.ts'

export interface ChangeQuery {
  /** A cursor, or `latest`: reads the changes after it. Without `after`, reading starts at the oldest change that is kept. */
  readonly after?: string | undefined
  /** A cursor, or `latest`: reads the changes before it, newest first. To read on, pass the answer's `cursor` as `before`. */
  readonly before?: string | undefined
  readonly size?: number | undefined
  readonly types?: readonly string[] | undefined
  /** The id of a record. */
  readonly id?: string | undefined
  /** The author, as `data.by` of a change names it. */
  readonly by?: string | undefined
  /** Only changes at this date or time or later. */
  readonly timeFrom?: string | undefined
  /** Only changes before this date or time. */
  readonly timeTo?: string | undefined
}

/** The log of changes. */
export interface ChangeLog {
  /** Returns some changes, and the cursor for the next call. If there is no change yet, the service waits up to `wait` seconds for one. */
  list(
    query?: ChangeQuery & { readonly wait?: number | undefined },
    options?: CallOptions,
  ): Promise<Answer<Changes>>

  /**
   * Yields changes in groups, and waits for further ones. With `after: 'latest'`, the first group is empty and comes at once: if
   * you read a list after it, you miss no change. Ends when the caller aborts; throws a RollcallError on failure. The code
   * `gone` means that changes after the cursor are no longer kept: read your lists again, and follow from their `changeCursor`.
   */
  follow(query?: ChangeQuery, options?: CallOptions): AsyncGenerator<Changes>
}

export const changesOf = (call: Call): ChangeLog => {
  const list: ChangeLog['list'] = (query, options) =>
    call({ ...options, method: 'GET', path: '/changes', query: query as Query })
  return {
    list,
    async *follow(query, options) {
      for (let after = query?.after; ; ) {
        const isLatest = after === 'latest'
        const answer = await list({ ...query, after, ...(!isLatest && { wait: 20 }) }, options)
        if (options?.signal?.aborted) return
        const { value } = unwrap(answer)
        after = value.cursor
        if (isLatest || value.content.length > 0) yield value
      }
    },
  }
}
