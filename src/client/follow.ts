import { type Answer, RollcallError, unwrap } from './answer.ts'
import { idOf } from './collection.ts'
import type { Rollcall } from './index.ts'
import type { Change } from './messages.ts'
import type { CallOptions } from './options.ts'
import type { KindOf } from './records.ts'

/** A whole list at one moment. */
export interface Followed<Item> {
  readonly items: readonly Item[]
  /** The changes since the last yield. Undefined if the whole list was read: at first, and after a gap in the feed (410). */
  readonly changes: readonly Change[] | undefined
}

interface Collection<Item> {
  list(filter: object, options: CallOptions): Promise<Answer<readonly Item[]>>
  get(id: string, options: CallOptions): Promise<Answer<Item>>
}

/**
 * Yields a whole list, such as `members`, first as it is and then after each change in it. Needs the right to read the changes.
 * Reads the whole list only first and after a gap in the log. Ends when the caller aborts; throws a RollcallError on failure.
 */
export async function* follow<
  Client extends Pick<Rollcall, 'changes'>,
  Name extends Exclude<keyof Client, 'changes'> & string,
>(
  client: Client,
  name: Name,
  options: CallOptions = {},
): AsyncGenerator<Followed<KindOf<Client[Name]>['item']>> {
  type Item = KindOf<Client[Name]>['item']
  const { list, get } = client[name] as unknown as Collection<Item>
  // The singular of a declared resource is unknown, so this reads all changes.
  const types = builtInNames.includes(name) ? [`${name.slice(0, -1)}.*`] : undefined
  while (!options.signal?.aborted) {
    try {
      const { value, changeCursor: after } = unwrap(await list({}, options))
      const items = new Map(value.map((item) => [idOf(item), item]))
      yield { items: value, changes: undefined }
      for await (const page of client.changes.follow({ after, types }, options)) {
        const content = page.content.filter(({ source }) => source.split('/').at(-2) === name)
        if (content.length === 0) continue
        const ids = [...new Set(content.map(({ subject }) => subject))]
        const answers = await Promise.all(ids.map(async (id) => [id, await get(id, options)] as const))
        for (const [id, answer] of answers)
          if (isGone(answer)) items.delete(id)
          else items.set(id, unwrap(answer).value)
        yield { items: [...items.values()], changes: content }
      }
    } catch (error) {
      if (!options.signal?.aborted && !isFeedGone(error)) throw error
    }
  }
}

const builtInNames: readonly string[] = ['todos', 'members', 'keys', 'webhooks']

const isFeedGone = (error: unknown) => error instanceof RollcallError && error.code === 'e.xx.fw.5002'

const isGone = (answer: Answer<unknown>) =>
  !answer.ok && (answer.code === 'e.xx.fw.5001' || answer.code === 'e.xx.yy.5001')
