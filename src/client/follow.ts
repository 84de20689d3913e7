import { type Answer, RollcallError, unwrap } from './answer.ts'
import { changeTypes, codes } from './codes.ts'
import type { Rollcall, SeenMember } from './index.ts'
import type { CallOptions } from './options.ts'
import type { Change, Todo } from './types.ts'

/** A whole list at one moment. */
export interface Followed<Item> {
  readonly items: readonly Item[]
  /** What changed since the one before. Undefined: the list was read anew, first of all and wherever the feed cannot go on (410). */
  readonly changes: readonly Change[] | undefined
}

interface Followable {
  readonly todos: Todo
  readonly members: SeenMember
}

interface Collection<Item> {
  list(filter: object, options: CallOptions): Promise<Answer<readonly Item[]>>
  get(id: string, options: CallOptions): Promise<Answer<Item>>
}

/**
 * Yields a whole list, and again after whatever changes in it, until it is left. The list is read once, then each record that the
 * feed names. Needs the right to read the changes. Throws a RollcallError on failure.
 */
export async function* follow<Name extends keyof Followable>(
  client: Pick<Rollcall, Name | 'changes'>,
  name: Name,
  options: CallOptions = {},
): AsyncGenerator<Followed<Followable[Name]>> {
  type Item = Followable[Name]
  const { list, get } = client[name] as unknown as Collection<Item>
  const noun = name.slice(0, -1)
  const idOf = (item: Item) => String(item[`${noun}Id` as keyof Item])
  const types = changeTypes.filter((type) => type.startsWith(`${noun}.`))
  for (;;) {
    const { value, changeCursor: after } = unwrap(await list({}, options))
    const items = new Map(value.map((item) => [idOf(item), item]))
    yield { items: value, changes: undefined }
    try {
      for await (const { content } of client.changes.follow({ after, types }, options)) {
        const ids = [...new Set(content.map(({ subject }) => subject))]
        const answers = await Promise.all(ids.map(async (id) => [id, await get(id, options)] as const))
        for (const [id, answer] of answers)
          if (isGone(answer)) items.delete(id)
          else items.set(id, unwrap(answer).value)
        yield { items: [...items.values()], changes: content }
      }
    } catch (error) {
      if (!(error instanceof RollcallError) || error.failure.code !== codes.gone) throw error
    }
  }
}

const isGone = (answer: Answer<unknown>) =>
  !answer.ok && (answer.code === codes.notFound || answer.code === codes.memberNotFound)
