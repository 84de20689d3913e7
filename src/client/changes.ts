import { type Answer, RollcallError, unwrap } from './answer.ts'
import type { Caller } from './calling.ts'
import type { ErrorCode } from './codes.ts'
import type { CallOptions } from './options.ts'
import type { Query } from './sending.ts'
import type { Change, Changes } from './types.ts'

export interface ChangeQuery {
  /** A cursor, or `latest`. Without one, it starts at the oldest change that is kept. */
  readonly after?: string | undefined
  /** A cursor, or `latest`, to go back from there: newest first, and the answer's cursor is the next `before`. */
  readonly before?: string | undefined
  readonly size?: number | undefined
  readonly types?: readonly string[] | undefined
  /** The id of a record. */
  readonly id?: string | undefined
}

/** The log of changes. */
export const changesOf = (call: Caller) => {
  const list = (
    query?: ChangeQuery & { readonly wait?: number | undefined },
    options?: CallOptions,
  ): Promise<Answer<Changes>> => call({ ...options, method: 'GET', path: '/changes', query: query as Query })
  return {
    list,

    /**
     * Yields some changes at a time, and waits for more. After `latest` it first yields the cursor alone, at once: a list that is
     * read then lacks none. Throws a RollcallError on failure. With the code `gone` nothing can be
     * told after this cursor without a gap: read what you keep again, and go on after the `changeCursor` of that answer.
     */
    async *follow(query?: ChangeQuery, options?: CallOptions): AsyncGenerator<Changes> {
      for (let after = query?.after; ; ) {
        const isLatest = after === 'latest'
        const { value } = unwrap(await list({ ...query, after, ...(!isLatest && { wait: 20 }) }, options))
        after = value.cursor
        if (isLatest || value.content.length > 0) yield value
      }
    },
  }
}

/** A whole list at one moment. */
export interface Followed<Item> {
  readonly items: readonly Item[]
  /** What changed since the one before. Undefined: the list was read anew, first of all and wherever the feed cannot go on (410). */
  readonly changes: readonly Change[] | undefined
}

/** The table of `codes` would come into every bundle. */
const gone: ErrorCode = 'e.xx.fw.5002'

interface Source<Item> {
  readonly types: readonly string[]
  idOf(item: Item): string
  list(): Promise<Answer<readonly Item[]>>
  get(id: string): Promise<Answer<Item>>
}

/** Reads the list once, then each record that the feed names. */
export async function* follow<Item>(
  call: Caller,
  source: Source<Item>,
  options: CallOptions,
): AsyncGenerator<Followed<Item>> {
  for (;;) {
    const { value, changeCursor: after } = unwrap(await source.list())
    const items = new Map(value.map((item) => [source.idOf(item), item]))
    yield { items: value, changes: undefined }
    try {
      for await (const { content } of changesOf(call).follow({ after, types: source.types }, options)) {
        const ids = [...new Set(content.map(({ subject }) => subject))]
        const answers = await Promise.all(ids.map(async (id) => [id, await source.get(id)] as const))
        for (const [id, answer] of answers)
          if (!answer.ok && answer.status === 404) items.delete(id)
          else items.set(id, unwrap(answer).value)
        yield { items: [...items.values()], changes: content }
      }
    } catch (error) {
      if (!(error instanceof RollcallError) || error.failure.code !== gone) throw error
    }
  }
}
