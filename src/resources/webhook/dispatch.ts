import type { Change } from '#http/api/change.ts'
import type { Cursors } from '#http/api/cursor.ts'
import type { DeliverySettings, RoomContext } from '#resources/resource.ts'
import type { Delivery } from './declaration.ts'
import { tooManySecrets } from './messages.ts'
import type { Send } from './sending.ts'
import { signedFields } from './signing.ts'
import type { StoredDelivery, StoredWebhook } from './store.ts'

interface DispatchParts extends Pick<RoomContext, 'clock' | 'newId'> {
  readonly settings: DeliverySettings
  readonly secrets: Secrets
}

interface ChangeToSend {
  readonly webhook: StoredWebhook
  readonly change: Change
  /** Starts at 1. */
  readonly attempt: number
}

export type Dispatch = ReturnType<typeof dispatcher>

/** Signs and sends one change, and returns the outcome. Undefined if it was aborted. */
export const dispatcher =
  ({ clock, newId, settings, secrets }: DispatchParts) =>
  async (
    { webhook, change, attempt }: ChangeToSend,
    send: Send,
    stopped: AbortSignal,
  ): Promise<StoredDelivery | undefined> => {
    const sentAt = clock.now()
    const body = await settings.written(change, webhook.values ?? false)
    const valid = secrets.of(webhook, sentAt)
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': settings.userAgent,
      ...signedFields({ id: change.id, body, sentAt }, valid),
    }
    const outcome = valid.length === 0 ? unsigned : await send({ url: webhook.url, headers, body }, stopped)
    const { id: changeId, type, number } = change
    return outcome && { deliveryId: newId(), changeId, type, number, sentAt, attempt, ...outcome }
  }

/** A change that is sent to one webhook only and is not in the log. */
export const unloggedChange = (
  { webhookId: subject, version }: Pick<StoredWebhook, 'webhookId' | 'version'>,
  told: Omit<Change, 'subject' | 'version' | 'changed' | 'unit'>,
): Change => ({ ...told, subject, version, changed: [], unit: '' })

/** Whether changes of this type are sent to one webhook only and are not in the log. */
export const isUnloggedType = (type: string) => type === 'webhook.test' || type === 'webhook.reset'

/** Unsigned changes are not sent. */
const unsigned = { status: null, error: 'it has no secret', milliseconds: 0 }

export const isDelivered = ({ status }: Pick<Delivery, 'status'>) =>
  status !== null && status >= 200 && status < 300

/** The secrets of a webhook: none while it is being created. */
type Sealed = Pick<StoredWebhook, 'webhookId'> &
  Partial<Pick<StoredWebhook, 'sealed' | 'formerSealed' | 'formerUntil'>>

/** How long replaced secrets still sign, and how many of them. */
const formerMs = 24 * 60 * 60 * 1000
const maxFormer = 10

export type Secrets = ReturnType<typeof secretsBy>

/** Secrets are encrypted like cursors, and each is bound to its webhook. */
export const secretsBy = (cursors: Cursors) => {
  const bindingOf = (webhookId: string) => `webhook ${webhookId}`
  const opened = ({ webhookId }: Sealed, sealed: string | null | undefined) =>
    (sealed?.split(' ') ?? []).flatMap((one) => {
      const read = cursors.read(one, bindingOf(webhookId))
      return read ? [read] : []
    })
  /** Each with its expiry, which earlier releases stored in another column. */
  const ofFormer = (webhook: Sealed, now: number) =>
    opened(webhook, webhook.formerSealed)
      .map(([secret = '', until = webhook.formerUntil ?? 0]) => [secret, until] as const)
      .filter(([, until]) => now < Number(until))
  return {
    /** The stored form of a new secret. Former secrets also sign until they expire. */
    kept(secret: string, now: number, webhook: Sealed) {
      const { webhookId } = webhook
      const present = opened(webhook, webhook.sealed).map(([one = '']) => [one, now + formerMs])
      const former = [...present, ...ofFormer(webhook, now)].map((one) =>
        cursors.make(one, bindingOf(webhookId)),
      )
      if (former.length > maxFormer) throw tooManySecrets(maxFormer)
      return {
        sealed: cursors.make([secret], bindingOf(webhookId)),
        formerSealed: former.join(' ') || null,
        formerUntil: former.length > 0 ? now + formerMs : null,
      }
    },

    /** The secrets that sign now. Empty if the webhook has none yet. */
    of: (webhook: Sealed, now: number): readonly string[] =>
      [...opened(webhook, webhook.sealed), ...ofFormer(webhook, now)].map(([secret]) => String(secret)),
  }
}
