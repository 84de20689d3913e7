import { mayGrant } from '#access/policy.ts'
import {
  bodyInvalid,
  notFound,
  notInCodeList,
  overloaded,
  Problem,
  preconditionFailed,
  type ResolvedMessage,
} from '#core/problem.ts'
import type { Actor, Change, ChangeFilter, Position } from '#http/api/change.ts'
import { cursorPosition } from '#http/api/change-cursor.ts'
import { namesOf, typesNamed } from '#http/api/feed-parameters.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Call } from '#http/api/routes.ts'
import type { DeliverySettings, ResourceContext } from '#resources/resource.ts'
import type { Transaction } from '#sql/database.ts'
import { addressOf, namedIn } from './addresses.ts'
import { maxUrlLength } from './declaration.ts'
import { type Dispatch, isUnloggedType, unloggedChange } from './dispatch.ts'
import {
  changeNotKept,
  cursorUnknown,
  mayNotSend,
  neverInLog,
  tooManyWebhooks,
  urlRefused,
} from './messages.ts'
import { sender } from './sending.ts'
import {
  type DeliveryProgress,
  type StoredDelivery,
  type StoredWebhook,
  startProgress,
  type TrackedWebhook,
  type WebhookStore,
} from './store.ts'

interface ServiceParts extends Pick<ResourceContext, 'clock' | 'newId' | 'changes' | 'cursors' | 'policy'> {
  readonly store: WebhookStore
  readonly settings: DeliverySettings
  readonly dispatch: Dispatch
  readonly stopped: AbortSignal
}

/** Limited because each webhook keeps a connection open. */
const maxWebhooks = 100

/** Pending changes are counted up to this number. */
const maxPending = 1_000

/** Starts and moves the delivery of webhooks, sends to them by hand, and shows the state of their delivery. */
export const webhookService = (parts: ServiceParts) => {
  const { store, clock, newId, changes, cursors, policy, settings } = parts
  const isNamed = namedIn(settings.privateHosts)
  /** The webhooks to which this instance is sending by hand at the moment: a test, or a delivery again. */
  const sending = new Set<string>()

  const mayBy = (principal: Principal) => (scope: string) => mayGrant(principal, scope, policy)

  /** Refuses a caller who may not read what the webhook sends: records, if it sends them. */
  const permitted = <W extends Pick<StoredWebhook, 'types' | 'values'>>(webhook: W, may: May): W => {
    const { types, values } = webhook
    if (values)
      requireRights(
        settings.rightsToRead(types ? typesNamed(types, settings.changeTypes) : settings.changeTypes),
        may,
      )
    return webhook
  }

  const known = async (webhookId: string): Promise<TrackedWebhook> => {
    const webhook = await store.find(webhookId)
    if (!webhook) throw notFound()
    return webhook
  }

  /** Null if it cannot be counted, because part of the log has been swept. */
  const pendingFor = async ({ types, progress }: TrackedWebhook) => {
    const page = await changes.read(progress, filterOf(types, settings), maxPending)
    return page ? Math.min(page.changes.length, maxPending) : null
  }

  const shown = async (webhook: TrackedWebhook) => {
    const { state: stored, since, lastStatus, lastError } = webhook.progress
    const pending = await pendingFor(webhook)
    const state = pending === null && stored !== 'disabled' ? 'lapsed' : stored
    const standing = { state, since, lastStatus, lastError, pending }
    const { url, types, description, active, values, sealed } = webhook
    const versionedText = JSON.stringify([url, types, description, active, values, sealed])
    return { ...webhook, ...standing, versionedText, unversionedText: JSON.stringify(standing) }
  }

  const positionFor = async (
    after: string | null,
    { types, progress }: TrackedWebhook,
  ): Promise<Position> => {
    if (after === null) return progress
    if (after === 'latest') return changes.latest()
    if (after === 'oldest') return changes.oldest()
    const position = cursorPosition(cursors, filterOf(types, settings), after)
    if (!position) throw cursorUnknown()
    return position
  }

  const knownDelivery = async (webhookId: string, deliveryId: string) => {
    const webhook = await known(webhookId)
    const delivery = (await store.deliveries(webhookId)).find((one) => one.deliveryId === deliveryId)
    if (!delivery) throw notFound()
    return { webhook, delivery }
  }

  const changeOf = async ({ number, changeId }: StoredDelivery): Promise<Change | undefined> => {
    if (number === null) return undefined
    const { logName } = await changes.latest()
    const page = await changes.read({ logName, number: number - 1, idEnd: '' }, {}, 1)
    return page?.changes.find(({ id }) => id === changeId)
  }

  /** Sends a change once. Meanwhile nothing else can be sent by hand to the same webhook. */
  const sendNow = async (webhook: TrackedWebhook, change: Change, attempt: number) => {
    const { webhookId } = webhook
    if (sending.has(webhookId)) throw overloaded()
    sending.add(webhookId)
    const { send, close } = sender({ isNamed, answerMs: settings.answerMs })
    try {
      const delivery = await parts.dispatch({ webhook, change, attempt }, send, parts.stopped)
      if (!delivery) throw overloaded()
      await store.note(webhookId, delivery)
      return { ...delivery, version: 1 }
    } finally {
      sending.delete(webhookId)
      close()
    }
  }

  return {
    shown,
    permitted,

    /** Refuses forbidden addresses and unknown types. */
    judged<W extends Pick<StoredWebhook, 'url' | 'types'> & { readonly active: boolean | null }>(webhook: W) {
      const { url: given, types, active } = webhook
      const url = addressOf(given, isNamed)
      const details: ResolvedMessage[] = url === undefined ? [urlRefused(given)] : []
      if (url && url.length > maxUrlLength)
        details.push({ code: 'Size', target: 'url', args: { min: 1, max: maxUrlLength } })
      if (!(types ?? []).every((type) => namesOf(settings.changeTypes).includes(type)))
        details.push(notInCodeList('types', 'CL_CHANGE', namesOf(settings.changeTypes)))
      if (url === undefined || details.length > 0) throw bodyInvalid(details)
      return { ...webhook, url, types: types && [...new Set(types)], active: active ?? true }
    },

    /** Returns a function that stores the position of a new webhook. The first change that it receives is its own creation. */
    async prepareCreation({ webhookId, createdAt: since }: Pick<StoredWebhook, 'webhookId' | 'createdAt'>) {
      const branch = await changes.branch()
      const { logName, number, idEnd } = await changes.latest()
      const progress: DeliveryProgress = {
        ...{ webhookId, logName, number, idEnd, state: 'delivering', since, failures: 0 },
        ...{ nextAt: null, lastStatus: null, lastError: null, move: 0, branch },
      }
      return async (tx: Transaction) => {
        if (!(await startProgress(tx, progress, maxWebhooks))) throw tooManyWebhooks(maxWebhooks)
      }
    },

    /** Moves a webhook to a cursor, `latest` or `oldest`; null keeps its position. Delivery continues from there at once. */
    async move(webhookId: string, after: string | null, { principal, expected }: Moving) {
      const webhook = permitted(await known(webhookId), mayBy(principal))
      if (expected !== undefined && webhook.version !== expected) throw preconditionFailed()
      const { logName, number, idEnd } = await positionFor(after, webhook)
      if (!(await changes.read({ logName, number, idEnd }, {}, 1))) throw new Problem('gone')
      const { progress } = webhook
      const next: DeliveryProgress = {
        ...{ ...progress, logName, number, idEnd, state: 'delivering', failures: 0, nextAt: null },
        ...{ since: progress.state === 'delivering' ? progress.since : clock.now(), move: progress.move + 1 },
      }
      await store.put(next)
      return shown({ ...webhook, progress: next })
    },

    /** Sends a `webhook.test` once, now. */
    async test(webhookId: string, { by, track }: Actor) {
      const webhook = await known(webhookId)
      const told = { type: 'webhook.test', id: newId(), number: 0, time: clock.now(), by, track }
      return sendNow(webhook, unloggedChange(webhook, told), 1)
    },

    /** Sends the change of a delivery again, under the id of the change. The webhook keeps its position. */
    async resend(webhookId: string, deliveryId: string, principal: Principal) {
      const { webhook, delivery } = await knownDelivery(webhookId, deliveryId)
      permitted(webhook, mayBy(principal))
      const { changeId, type } = delivery
      if (isUnloggedType(type)) throw neverInLog(type)
      const change = await changeOf(delivery)
      if (!change) throw changeNotKept()
      const same = (await store.deliveries(webhookId)).filter((one) => one.changeId === changeId)
      return sendNow(webhook, change, Math.max(...same.map(({ attempt }) => attempt)) + 1)
    },

    /** A delivery, with the body that would be sent now: null if the change is no longer in the log, or never was. */
    async delivery(webhookId: string, deliveryId: string, principal: Principal) {
      const { webhook, delivery } = await knownDelivery(webhookId, deliveryId)
      requireRights(settings.rightsToRead(webhook.values ? [delivery.type] : []), mayBy(principal))
      const change = await changeOf(delivery)
      const body = change ? await settings.bodyOf(change, webhook.values ?? false) : null
      return { ...delivery, body, version: 1, unversionedText: body ?? '' }
    },

    async deliveries(webhookId: string) {
      await known(webhookId)
      const content = await store.deliveries(webhookId)
      return { content, version: 1, unversionedText: content[0]?.deliveryId ?? '' }
    },
  }
}

/** Whether the caller may do everything that a scope permits. */
type May = (scope: string) => boolean

type Moving = Pick<Call, 'principal' | 'expected'>

const requireRights = (rights: readonly string[], may: May) => {
  const missing = rights.filter((right) => !may(right))
  if (missing.length > 0) throw mayNotSend(missing)
}

/** Selects the changes that a webhook with these types receives; all if null. */
export const filterOf = (
  types: StoredWebhook['types'],
  settings: Pick<DeliverySettings, 'changeTypes'>,
): ChangeFilter => (types ? { types: typesNamed(types, settings.changeTypes) } : {})

export type WebhookService = ReturnType<typeof webhookService>
