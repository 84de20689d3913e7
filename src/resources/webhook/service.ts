import { canGrant } from '#access/policy.ts'
import {
  bodyInvalid,
  type CodedMessage,
  notFound,
  notInCodeList,
  overloaded,
  Problem,
  preconditionFailed,
} from '#core/problem.ts'
import type { Actor, Change, ChangeFilter, Position } from '#http/api/change.ts'
import { cursorPosition } from '#http/api/change-cursor.ts'
import { resolveTypes, typeNames } from '#http/api/feed-parameters.ts'
import type { Principal } from '#http/api/principal.ts'
import type { RouteCall } from '#http/api/routes.ts'
import type { DeliverySettings, ResourceContext } from '#resources/resource.ts'
import type { Transaction } from '#sql/database.ts'
import { allowedHosts, normalizeAddress } from './addresses.ts'
import { maxUrlLength } from './declaration.ts'
import { type Dispatch, isUnloggedType, unloggedChange } from './dispatch.ts'
import {
  changeNotKept,
  missingRights,
  neverInLog,
  tooManyWebhooks,
  unknownCursor,
  urlRefusal,
} from './messages.ts'
import { sender } from './sending.ts'
import {
  type DeliveryProgress,
  type StoredDelivery,
  type StoredWebhook,
  startProgress,
  type WebhookStore,
  type WebhookWithProgress,
} from './store.ts'

interface ServiceContext extends Pick<ResourceContext, 'clock' | 'newId' | 'changes' | 'cursors' | 'policy'> {
  readonly store: WebhookStore
  readonly settings: DeliverySettings
  readonly dispatch: Dispatch
  readonly stopped: AbortSignal
}

/** Limited because each webhook keeps a connection open. */
const maxWebhooks = 100

/** Pending changes are counted up to this number. */
const maxPending = 1_000

/** Validates webhooks, sets their position in the log, sends single changes on request, and shows the state of delivery. */
export const webhookService = (context: ServiceContext) => {
  const { store, clock, newId, changes, cursors, policy, settings } = context
  const isAllowedHost = allowedHosts(settings.privateHosts)
  /** The ids of the webhooks to which this instance is now sending a test, or a delivery again. */
  const manualSends = new Set<string>()

  const permissionsOf = (principal: Principal) => (scope: string) => canGrant(principal, scope, policy)

  /** Refuses a caller who may not read the records that the webhook sends with its changes. */
  const requirePermitted = <W extends Pick<StoredWebhook, 'types' | 'values'>>(
    webhook: W,
    may: IsPermitted,
  ): W => {
    const { types, values } = webhook
    const sentTypes = types ? resolveTypes(types, settings.changeTypes) : settings.changeTypes
    if (values) requireRights(settings.rightsToRead(sentTypes), may)
    return webhook
  }

  const requireWebhook = async (webhookId: string): Promise<WebhookWithProgress> => {
    const webhook = await store.find(webhookId)
    if (!webhook) throw notFound()
    return webhook
  }

  /** The number of pending changes. Null if it is unknown, because some of the changes have been swept from the log. */
  const pendingFor = async ({ types, progress }: WebhookWithProgress) => {
    const page = await changes.read(progress, filterOf(types, settings), maxPending)
    return page ? Math.min(page.changes.length, maxPending) : null
  }

  const withState = async (webhook: WebhookWithProgress) => {
    const { state: stored, since, lastStatus, lastError } = webhook.progress
    const pending = await pendingFor(webhook)
    const state = pending === null && stored !== 'disabled' ? 'lapsed' : stored
    const deliveryState = { state, since, lastStatus, lastError, pending }
    const { url, types, description, active, values, sealed } = webhook
    const versionedText = JSON.stringify([url, types, description, active, values, sealed])
    return { ...webhook, ...deliveryState, versionedText, unversionedText: JSON.stringify(deliveryState) }
  }

  const positionFor = async (
    after: string | null,
    { types, progress }: WebhookWithProgress,
  ): Promise<Position> => {
    if (after === null) return progress
    if (after === 'latest') return changes.latest()
    if (after === 'oldest') return changes.oldest()
    const position = cursorPosition(cursors, filterOf(types, settings), after)
    if (!position) throw unknownCursor()
    return position
  }

  const requireDelivery = async (webhookId: string, deliveryId: string) => {
    const webhook = await requireWebhook(webhookId)
    const delivery = (await store.deliveries(webhookId)).find((one) => one.deliveryId === deliveryId)
    if (!delivery) throw notFound()
    return { webhook, delivery }
  }

  const changeOf = async ({ number, changeId }: StoredDelivery): Promise<Change | undefined> => {
    if (number === null) return undefined
    const { logName } = await changes.latest()
    const page = await changes.read({ logName, number: number - 1, idSuffix: '' }, {}, 1)
    return page?.changes.find(({ id }) => id === changeId)
  }

  /** Sends a change once, on request. Refuses a second change on request while the first is being sent to the webhook. */
  const sendOnce = async (webhook: WebhookWithProgress, change: Change, attempt: number) => {
    const { webhookId } = webhook
    if (manualSends.has(webhookId)) throw overloaded()
    manualSends.add(webhookId)
    const { send, close } = sender({ isAllowedHost, answerMs: settings.answerMs })
    try {
      const delivery = await context.dispatch({ webhook, change, attempt }, send, context.stopped)
      if (!delivery) throw overloaded()
      await store.recordDelivery(webhookId, delivery)
      return { ...delivery, version: 1 }
    } finally {
      manualSends.delete(webhookId)
      close()
    }
  }

  return {
    withState,
    requirePermitted,

    /** Refuses forbidden addresses and unknown types. */
    validated<W extends Pick<StoredWebhook, 'url' | 'types'> & { readonly active: boolean | null }>(
      webhook: W,
    ) {
      const { url: requestedUrl, types, active } = webhook
      const url = normalizeAddress(requestedUrl, isAllowedHost)
      const details: CodedMessage[] = url === undefined ? [urlRefusal(requestedUrl)] : []
      if (url && url.length > maxUrlLength)
        details.push({ code: 'Size', target: 'url', args: { min: 1, max: maxUrlLength } })
      if (!(types ?? []).every((type) => typeNames(settings.changeTypes).includes(type)))
        details.push(notInCodeList('types', 'CL_CHANGE', typeNames(settings.changeTypes)))
      if (url === undefined || details.length > 0) throw bodyInvalid(details)
      return { ...webhook, url, types: types && [...new Set(types)], active: active ?? true }
    },

    /** Returns a function that stores the first position of a new webhook: just before its creation, which is sent to it first. */
    async prepareCreation({ webhookId, createdAt: since }: Pick<StoredWebhook, 'webhookId' | 'createdAt'>) {
      const branch = await changes.branchId()
      const progress: DeliveryProgress = {
        webhookId,
        ...(await changes.latest()),
        state: 'delivering',
        since,
        failures: 0,
        nextAt: null,
        lastStatus: null,
        lastError: null,
        move: 0,
        branch,
      }
      return async (tx: Transaction) => {
        if (!(await startProgress(tx, progress, maxWebhooks))) throw tooManyWebhooks(maxWebhooks)
      }
    },

    /** Moves a webhook to a cursor, `latest` or `oldest`; null keeps its position. Delivery continues from there at once. */
    async move(webhookId: string, after: string | null, { principal, expectedVersion }: MoveCall) {
      const webhook = requirePermitted(await requireWebhook(webhookId), permissionsOf(principal))
      if (expectedVersion !== undefined && webhook.version !== expectedVersion) throw preconditionFailed()
      const { logName, number, idSuffix } = await positionFor(after, webhook)
      if (!(await changes.read({ logName, number, idSuffix }, {}, 1))) throw new Problem('gone')
      const { progress } = webhook
      const next: DeliveryProgress = {
        ...progress,
        logName,
        number,
        idSuffix,
        state: 'delivering',
        failures: 0,
        nextAt: null,
        since: progress.state === 'delivering' ? progress.since : clock.now(),
        move: progress.move + 1,
      }
      await store.put(next)
      return withState({ ...webhook, progress: next })
    },

    /** Sends a `webhook.test` once, now. */
    async test(webhookId: string, { author, track }: Actor) {
      const webhook = await requireWebhook(webhookId)
      const testChange = { type: 'webhook.test', id: newId(), number: 0, time: clock.now(), author, track }
      return sendOnce(webhook, unloggedChange(webhook, testChange), 1)
    },

    /** Sends the change of a delivery again, under the id of the change. The webhook keeps its position. */
    async resend(webhookId: string, deliveryId: string, principal: Principal) {
      const { webhook, delivery } = await requireDelivery(webhookId, deliveryId)
      requirePermitted(webhook, permissionsOf(principal))
      const { changeId, type } = delivery
      if (isUnloggedType(type)) throw neverInLog(type)
      const change = await changeOf(delivery)
      if (!change) throw changeNotKept()
      const attempts = (await store.deliveries(webhookId)).filter((one) => one.changeId === changeId)
      return sendOnce(webhook, change, Math.max(...attempts.map(({ attempt }) => attempt)) + 1)
    },

    /** A delivery, with its body rebuilt from the log. The body is null if the log does not contain the change. */
    async delivery(webhookId: string, deliveryId: string, principal: Principal) {
      const { webhook, delivery } = await requireDelivery(webhookId, deliveryId)
      requireRights(settings.rightsToRead(webhook.values ? [delivery.type] : []), permissionsOf(principal))
      const change = await changeOf(delivery)
      const body = change ? await settings.bodyOf(change, webhook.values ?? false) : null
      return { ...delivery, body, version: 1, unversionedText: body ?? '' }
    },

    async deliveries(webhookId: string) {
      await requireWebhook(webhookId)
      const content = await store.deliveries(webhookId)
      return { content, version: 1, unversionedText: content[0]?.deliveryId ?? '' }
    },
  }
}

type IsPermitted = (scope: string) => boolean

type MoveCall = Pick<RouteCall, 'principal' | 'expectedVersion'>

const requireRights = (rights: readonly string[], may: IsPermitted) => {
  const missing = rights.filter((right) => !may(right))
  if (missing.length > 0) throw missingRights(missing)
}

/** The filter of the changes that a webhook with these types receives. Null selects all changes. */
export const filterOf = (
  types: StoredWebhook['types'],
  settings: Pick<DeliverySettings, 'changeTypes'>,
): ChangeFilter => (types ? { types: resolveTypes(types, settings.changeTypes) } : {})

export type WebhookService = ReturnType<typeof webhookService>
