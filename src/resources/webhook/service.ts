import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import type { PageRequest, SliceRequest } from '#core/page.ts'
import {
  bodyInvalid,
  changedMeanwhile,
  notFound,
  notInCodeList,
  overloaded,
  Problem,
  preconditionFailed,
  type ResolvedMessage,
} from '#core/problem.ts'
import type { Cursors } from '#http/api/cursor.ts'
import { type Changes, cursorPosition, type Position } from '#http/api/feed.ts'
import type { Actor } from '#http/api/guard.ts'
import type { Call, Versioned } from '#http/api/routes.ts'
import type { Outlet } from '#resources/resource.ts'
import type { Lists } from '#sql/listing.ts'
import { addressOf, namedIn } from './addresses.ts'
import { type Dispatch, ownChange, type Secrets } from './dispatch.ts'
import { cursorUnknown, tooManySecrets, tooManyWebhooks, urlNotPublic } from './messages.ts'
import { type Delivery, type MadeWebhook, maxUrlLength, type NewWebhook, type Webhook } from './schema.ts'
import { sender } from './sending.ts'
import { newSecret } from './signing.ts'
import { type Place, type Placed, writable } from './store.ts'

type Asked = Pick<Call, 'expected' | 'actor'>

export interface WebhookStore extends Lists<Placed> {
  find(webhookId: string): Promise<Placed | undefined>
  all(): Promise<readonly Placed[]>
  /** False if there are so many already. */
  insert(webhook: Placed, max: number, actor: Actor): Promise<boolean>
  /** Replaces the previous version. False if another request changed it first. */
  replace(webhook: Placed, changed: readonly string[], actor: Actor): Promise<boolean>
  /** Removes this version, or any if undefined. False when it is not there. */
  remove(webhookId: string, asked: Asked): Promise<boolean>
  /** Gives a webhook another place. */
  put(place: Place): Promise<void>
  /** Replaces a place, and notes the delivery that led to it. False if somebody else was faster. */
  advance(place: Place, next: Place, delivery?: Delivery): Promise<boolean>
  note(webhookId: string, delivery: Delivery): Promise<void>
  /** Those that are kept, newest first. */
  deliveries(webhookId: string): Promise<readonly Delivery[]>
}

interface WebhookGround {
  readonly store: WebhookStore
  readonly clock: Clock
  readonly newId: NewId
  readonly changes: Changes
  readonly cursors: Cursors
  readonly outlet: Outlet
  readonly dispatch: Dispatch
  readonly secrets: Secrets
  readonly stopped: AbortSignal
}

/** Each has a connection of its own. */
const maxWebhooks = 100

/** How long each secret before signs beside a new one, and how many do. */
const formerMs = 24 * 60 * 60 * 1000
const maxFormer = 10

/** Further changes that wait are not counted. */
const maxPending = 1_000

export const webhookService = (ground: WebhookGround) => {
  const { store, clock, newId, changes, cursors, outlet, secrets } = ground
  const isNamed = namedIn(outlet.hosts)
  /** The webhooks of which a test is under way here. */
  const testing = new Set<string>()

  const known = async (webhookId: string): Promise<Placed> => {
    const webhook = await store.find(webhookId)
    if (!webhook) throw notFound()
    return webhook
  }

  /** Null where it cannot be counted, because part of it is not kept any more. */
  const pendingFor = async ({ types, place }: Placed) => {
    const page = await changes.read(place, { types: types ?? undefined }, maxPending)
    return page ? Math.min(page.changes.length, maxPending) : null
  }

  const shown = async (webhook: Placed): Promise<Webhook> => {
    const { state: stored, since, lastStatus, lastError } = webhook.place
    const pending = await pendingFor(webhook)
    const state = pending === null && stored !== 'disabled' ? 'lapsed' : stored
    const course = { state, since, lastStatus, lastError, pending }
    const { url, types, description, active, sealed } = webhook
    const ofVersion = JSON.stringify([url, types, description, active, sealed])
    return { ...webhook, ...course, ofVersion, beside: JSON.stringify(course) }
  }
  const allShown = (webhooks: readonly Placed[]) => Promise.all(webhooks.map(shown))

  const judged = ({ url: given, types, description, active }: NewWebhook) => {
    const url = addressOf(given, isNamed)
    const details: ResolvedMessage[] = url === undefined ? [urlNotPublic] : []
    if (url && url.length > maxUrlLength)
      details.push({ code: 'Size', target: 'url', args: { min: 1, max: maxUrlLength } })
    if (!(types ?? []).every((type) => outlet.types.includes(type)))
      details.push(notInCodeList('types', 'CL_CHANGE', outlet.types))
    if (url === undefined || details.length > 0) throw bodyInvalid(details)
    return { url, types: types && [...new Set(types)], description, active: active ?? true }
  }

  const positionFor = async (after: string | null, { types, place }: Placed): Promise<Position> => {
    if (after === null) return place
    if (after === 'latest') return changes.latest()
    if (after === 'oldest') return changes.oldest()
    const position = cursorPosition(cursors, { types: types ?? undefined, id: undefined }, after)
    if (!position) throw cursorUnknown()
    return position
  }

  const replaced = async (webhook: Placed, changed: readonly string[], { expected, actor }: Asked) => {
    if (!(await store.replace(webhook, changed, actor))) throw changedMeanwhile(expected)
    return shown(webhook)
  }

  return {
    async page(filter: object, request: PageRequest) {
      const page = await store.page(filter, request)
      return { ...page, content: await allShown(page.content) }
    },

    async slice(filter: object, request: SliceRequest) {
      const slice = await store.slice(filter, request)
      return { ...slice, content: await allShown(slice.content) }
    },

    async *stream(filter: object) {
      for await (const batch of store.stream(filter)) yield await allShown(batch)
    },

    find: async (webhookId: string) => shown(await known(webhookId)),

    /** It begins with its own creation. */
    async create(body: NewWebhook, actor: Actor): Promise<MadeWebhook> {
      const wanted = judged(body)
      const [webhookId, secret, now] = [newId(), newSecret(), clock.now()]
      const branch = await changes.branch()
      const { history, number, mark } = await changes.latest()
      const place: Place = {
        ...{ webhookId, history, number, mark, state: 'delivering', since: now, failures: 0 },
        ...{ nextAt: null, lastStatus: null, lastError: null, move: 0, branch },
      }
      const sealed = secrets.seal(webhookId, secret)
      const webhook: Placed = {
        ...{ webhookId, ...wanted, createdAt: now, version: 1, place },
        ...{ sealed, formerSealed: null, formerUntil: null },
      }
      if (!(await store.insert(webhook, maxWebhooks, actor))) throw tooManyWebhooks(maxWebhooks)
      return { ...(await shown(webhook)), secret }
    },

    async change(webhookId: string, body: NewWebhook, asked: Asked): Promise<Webhook> {
      const { expected } = asked
      const before = await known(webhookId)
      if (expected !== undefined && before.version !== expected) throw preconditionFailed()
      const wanted = judged(body)
      const changed = writable.filter((name) => String(wanted[name]) !== String(before[name]))
      if (changed.length === 0) return shown(before)
      return replaced({ ...before, ...wanted, version: before.version + 1 }, changed, asked)
    },

    async remove(webhookId: string, asked: Asked): Promise<undefined> {
      if (await store.remove(webhookId, asked)) return
      await known(webhookId)
      throw changedMeanwhile(asked.expected)
    },

    async renewSecret(webhookId: string, actor: Actor): Promise<MadeWebhook> {
      const before = await known(webhookId)
      const [secret, now] = [newSecret(), clock.now()]
      const former = secrets.former(before, now, formerMs)
      if (former.length > maxFormer) throw tooManySecrets(maxFormer)
      const next = {
        ...{ ...before, sealed: secrets.seal(webhookId, secret), version: before.version + 1 },
        ...{ formerSealed: former.join(' ') || null, formerUntil: now + formerMs },
      }
      return { ...(await replaced(next, ['secret'], { expected: undefined, actor })), secret }
    },

    /** Goes on from there, at once. */
    async move(webhookId: string, after: string | null, expected?: number): Promise<Webhook> {
      const webhook = await known(webhookId)
      if (expected !== undefined && webhook.version !== expected) throw preconditionFailed()
      const { history, number, mark } = await positionFor(after, webhook)
      if (!(await changes.read({ history, number, mark }, {}, 1))) throw new Problem('gone')
      const { place } = webhook
      const next: Place = {
        ...{ ...place, history, number, mark, state: 'delivering', failures: 0, nextAt: null },
        ...{ since: place.state === 'delivering' ? place.since : clock.now(), move: place.move + 1 },
      }
      await store.put(next)
      return shown({ ...webhook, place: next })
    },

    /** Sends a `webhook.test` now, once. Only its caller waits for the outcome, and another test of the same webhook. */
    async test(webhookId: string, { by, track }: Actor): Promise<Delivery & Versioned> {
      const webhook = await known(webhookId)
      if (testing.has(webhookId)) throw overloaded()
      testing.add(webhookId)
      const { send, close } = sender({ isNamed, answerMs: outlet.answerMs })
      try {
        const told = { type: 'webhook.test', id: newId(), number: 0, time: clock.now(), by, track }
        const change = ownChange(webhook, told)
        const delivery = await ground.dispatch({ webhook, change, attempt: 1 }, send, ground.stopped)
        if (!delivery) throw overloaded()
        await store.note(webhookId, delivery)
        return { ...delivery, version: 1 }
      } finally {
        testing.delete(webhookId)
        close()
      }
    },

    async deliveries(webhookId: string) {
      await known(webhookId)
      const content = await store.deliveries(webhookId)
      return { content, version: 1, beside: content[0]?.deliveryId ?? '' }
    },
  }
}

export type WebhookService = ReturnType<typeof webhookService>
