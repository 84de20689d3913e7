import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import {
  bodyInvalid,
  notFound,
  notInCodeList,
  overloaded,
  Problem,
  preconditionFailed,
  type ResolvedMessage,
} from '#core/problem.ts'
import type { Cursors } from '#http/api/cursor.ts'
import {
  type ChangeFilter,
  type Changes,
  cursorPosition,
  namesOf,
  type Position,
  typesNamed,
} from '#http/api/feed.ts'
import type { Actor } from '#http/api/guard.ts'
import type { Versioned } from '#http/api/routes.ts'
import type { DeliverySettings } from '#resources/resource.ts'
import type { Transaction } from '#sql/database.ts'
import { addressOf, namedIn } from './addresses.ts'
import { type Delivery, maxUrlLength } from './declaration.ts'
import { type Dispatch, ownChange } from './dispatch.ts'
import { cursorUnknown, tooManyWebhooks, urlNotPublic } from './messages.ts'
import { begin, type Place, type Placed, type Places, type StoredWebhook } from './places.ts'
import { sender } from './sending.ts'

interface ServiceParts {
  readonly places: Places
  readonly clock: Clock
  readonly newId: NewId
  readonly changes: Changes
  readonly cursors: Cursors
  readonly settings: DeliverySettings
  readonly dispatch: Dispatch
  readonly stopped: AbortSignal
}

/** Each webhook has its own connection. */
const maxWebhooks = 100

/** Pending changes are counted up to this number. */
const maxPending = 1_000

/** Where the delivery of webhooks starts and continues, and how it is shown. */
export const webhookService = (parts: ServiceParts) => {
  const { places, clock, newId, changes, cursors, settings } = parts
  const isNamed = namedIn(settings.hosts)
  /** The webhooks with a running test on this instance. */
  const testing = new Set<string>()

  const known = async (webhookId: string): Promise<Placed> => {
    const webhook = await places.find(webhookId)
    if (!webhook) throw notFound()
    return webhook
  }

  /** Null if it cannot be counted, because part of the log has been swept. */
  const pendingFor = async ({ types, place }: Placed) => {
    const page = await changes.read(place, filterOf(types, settings), maxPending)
    return page ? Math.min(page.changes.length, maxPending) : null
  }

  /** A webhook with the state of its delivery. */
  const shown = async (webhook: Placed) => {
    const { state: stored, since, lastStatus, lastError } = webhook.place
    const pending = await pendingFor(webhook)
    const state = pending === null && stored !== 'disabled' ? 'lapsed' : stored
    const standing = { state, since, lastStatus, lastError, pending }
    const { url, types, description, active, values, sealed } = webhook
    const ofVersion = JSON.stringify([url, types, description, active, values, sealed])
    return { ...webhook, ...standing, ofVersion, beside: JSON.stringify(standing) }
  }

  const positionFor = async (after: string | null, { types, place }: Placed): Promise<Position> => {
    if (after === null) return place
    if (after === 'latest') return changes.latest()
    if (after === 'oldest') return changes.oldest()
    const position = cursorPosition(cursors, filterOf(types, settings), after)
    if (!position) throw cursorUnknown()
    return position
  }

  return {
    shown,

    /** Refuses forbidden addresses and unknown types. */
    judged<W extends Pick<StoredWebhook, 'url' | 'types'> & { readonly active: boolean | null }>(webhook: W) {
      const { url: given, types, active } = webhook
      const url = addressOf(given, isNamed)
      const details: ResolvedMessage[] = url === undefined ? [urlNotPublic] : []
      if (url && url.length > maxUrlLength)
        details.push({ code: 'Size', target: 'url', args: { min: 1, max: maxUrlLength } })
      if (!(types ?? []).every((type) => namesOf(settings.types).includes(type)))
        details.push(notInCodeList('types', 'CL_CHANGE', namesOf(settings.types)))
      if (url === undefined || details.length > 0) throw bodyInvalid(details)
      return { ...webhook, url, types: types && [...new Set(types)], active: active ?? true }
    },

    /** Writes its place in the log together with the webhook: delivery starts with its own creation. */
    async begun({ webhookId, createdAt: since }: Pick<StoredWebhook, 'webhookId' | 'createdAt'>) {
      const branch = await changes.branch()
      const { history, number, mark } = await changes.latest()
      const place: Place = {
        ...{ webhookId, history, number, mark, state: 'delivering', since, failures: 0 },
        ...{ nextAt: null, lastStatus: null, lastError: null, move: 0, branch },
      }
      return async (tx: Transaction) => {
        if (!(await begin(tx, place, maxWebhooks))) throw tooManyWebhooks(maxWebhooks)
      }
    },

    /** Continues from there, immediately. */
    async move(webhookId: string, after: string | null, expected?: number) {
      const webhook = await known(webhookId)
      if (expected !== undefined && webhook.version !== expected) throw preconditionFailed()
      const { history, number, mark } = await positionFor(after, webhook)
      if (!(await changes.read({ history, number, mark }, {}, 1))) throw new Problem('gone')
      const { place } = webhook
      const next: Place = {
        ...{ ...place, history, number, mark, state: 'delivering', failures: 0, nextAt: null },
        ...{ since: place.state === 'delivering' ? place.since : clock.now(), move: place.move + 1 },
      }
      await places.put(next)
      return shown({ ...webhook, place: next })
    },

    /** Sends a `webhook.test` once, now. A second test of the same webhook waits for the first. */
    async test(webhookId: string, { by, track }: Actor): Promise<Delivery & Versioned> {
      const webhook = await known(webhookId)
      if (testing.has(webhookId)) throw overloaded()
      testing.add(webhookId)
      const { send, close } = sender({ isNamed, answerMs: settings.answerMs })
      try {
        const told = { type: 'webhook.test', id: newId(), number: 0, time: clock.now(), by, track }
        const change = ownChange(webhook, told)
        const delivery = await parts.dispatch({ webhook, change, attempt: 1 }, send, parts.stopped)
        if (!delivery) throw overloaded()
        await places.note(webhookId, delivery)
        return { ...delivery, version: 1 }
      } finally {
        testing.delete(webhookId)
        close()
      }
    },

    async deliveries(webhookId: string) {
      await known(webhookId)
      const content = await places.deliveries(webhookId)
      return { content, version: 1, beside: content[0]?.deliveryId ?? '' }
    },
  }
}

/** The filter of its changes. */
export const filterOf = (
  types: StoredWebhook['types'],
  settings: Pick<DeliverySettings, 'types'>,
): ChangeFilter => (types ? { types: typesNamed(types, settings.types) } : {})

export type WebhookService = ReturnType<typeof webhookService>
