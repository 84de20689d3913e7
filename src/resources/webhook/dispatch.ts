import type { Change } from '#http/api/change.ts'
import type { Cursors } from '#http/api/cursor.ts'
import type { DeliverySettings, ResourceContext } from '#resources/resource.ts'
import type { Delivery } from './declaration.ts'
import { tooManySecrets } from './messages.ts'
import type { Send } from './sending.ts'
import { signedFields } from './signing.ts'
import type { StoredDelivery, StoredWebhook } from './store.ts'

interface DispatchParts extends Pick<ResourceContext, 'clock' | 'newId'> {
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

/** Signs and sends one change, and returns the delivery. Undefined if it was aborted. */
export const dispatcher =
  ({ clock, newId, settings, secrets }: DispatchParts) =>
  async (
    { webhook, change, attempt }: ChangeToSend,
    send: Send,
    stopped: AbortSignal,
  ): Promise<StoredDelivery | undefined> => {
    const sentAt = clock.now()
    const body = await settings.bodyOf(change, webhook.values ?? false)
    const signingSecrets = secrets.of(webhook, sentAt)
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': settings.userAgent,
      ...signedFields({ id: change.id, body, sentAt }, signingSecrets),
    }
    const isSigned = signingSecrets.length > 0
    const outcome = isSigned ? await send({ url: webhook.url, headers, body }, stopped) : noSecretOutcome
    const { id: changeId, type, number } = change
    return outcome && { deliveryId: newId(), changeId, type, number, sentAt, attempt, ...outcome }
  }

/** A change that is sent to one webhook only and is not in the log. */
export const unloggedChange = (
  { webhookId: subject, version }: Pick<StoredWebhook, 'webhookId' | 'version'>,
  fields: Omit<Change, 'subject' | 'version' | 'changed' | 'unit'>,
): Change => ({ ...fields, subject, version, changed: [], unit: '' })

/** Whether changes of this type are sent to one webhook only and are not in the log. */
export const isUnloggedType = (type: string) => type === 'webhook.test' || type === 'webhook.reset'

/** The outcome for a change that is not sent because its webhook has no secret. */
const noSecretOutcome = { status: null, error: 'the webhook has no secret', milliseconds: 0 }

export const isDelivered = ({ status }: Pick<Delivery, 'status'>) =>
  status !== null && status >= 200 && status < 300

/** A webhook with its encrypted secrets, which are absent while it is being created. */
type WithSecrets = Pick<StoredWebhook, 'webhookId'> &
  Partial<Pick<StoredWebhook, 'sealed' | 'formerSealed' | 'formerUntil'>>

/** How long a former secret also signs, and how many former secrets a webhook may have. */
const formerMs = 24 * 60 * 60 * 1000
const maxFormer = 10

export type Secrets = ReturnType<typeof secretsBy>

/** Secrets are encrypted like cursors, and each is bound to its webhook. */
export const secretsBy = (tokens: Cursors) => {
  const bindingOf = (webhookId: string) => `webhook ${webhookId}`
  const decrypted = ({ webhookId }: WithSecrets, sealed: string | null | undefined) =>
    (sealed?.split(' ') ?? []).flatMap((one) => {
      const read = tokens.read(one, bindingOf(webhookId))
      return read ? [read] : []
    })
  /** The former secrets, each with its expiry, which earlier releases stored in another column. */
  const ofFormer = (webhook: WithSecrets, now: number) =>
    decrypted(webhook, webhook.formerSealed)
      .map(([secret = '', until = webhook.formerUntil ?? 0]) => [secret, until] as const)
      .filter(([, until]) => now < Number(until))
  return {
    /** The columns after `secret` replaces the present one, which becomes a former secret and also signs for 24 hours more. */
    rotated(secret: string, now: number, webhook: WithSecrets) {
      const { webhookId } = webhook
      const present = decrypted(webhook, webhook.sealed).map(([one = '']) => [one, now + formerMs])
      const former = [...present, ...ofFormer(webhook, now)].map((one) =>
        tokens.make(one, bindingOf(webhookId)),
      )
      if (former.length > maxFormer) throw tooManySecrets(maxFormer)
      return {
        sealed: tokens.make([secret], bindingOf(webhookId)),
        formerSealed: former.join(' ') || null,
        formerUntil: former.length > 0 ? now + formerMs : null,
      }
    },

    /** The secrets that sign now. Empty if the webhook has no secret. */
    of: (webhook: WithSecrets, now: number): readonly string[] =>
      [...decrypted(webhook, webhook.sealed), ...ofFormer(webhook, now)].map(([secret]) => String(secret)),
  }
}
