import type { Change } from '#http/api/change.ts'
import type { Cursors } from '#http/api/cursor.ts'
import type { DeliverySettings, ResourceContext } from '#resources/resource.ts'
import type { Delivery } from './declaration.ts'
import { tooManySecrets } from './messages.ts'
import type { Send } from './sending.ts'
import { signedFields } from './signing.ts'
import type { StoredDelivery, StoredWebhook } from './store.ts'

interface DispatchContext extends Pick<ResourceContext, 'clock' | 'newId'> {
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

/** Signs and sends one change, and returns the delivery. Undefined if the delivery was aborted. */
export const dispatcher =
  ({ clock, newId, settings, secrets }: DispatchContext) =>
  async (
    { webhook, change, attempt }: ChangeToSend,
    send: Send,
    stopped: AbortSignal,
  ): Promise<StoredDelivery | undefined> => {
    const sentAt = clock.now()
    const body = await settings.bodyOf(change, webhook.values ?? false)
    const signingSecrets = secrets.signingSecrets(webhook, sentAt)
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

/** Makes a change that is sent to one webhook only and is not in the log. */
export const unloggedChange = (
  { webhookId: subject, version }: Pick<StoredWebhook, 'webhookId' | 'version'>,
  fields: Omit<Change, 'subject' | 'version' | 'changed' | 'unit'>,
): Change => ({ ...fields, subject, version, changed: [], unit: '' })

export const isUnloggedType = (type: string) => type === 'webhook.test' || type === 'webhook.reset'

/** The outcome for a change that is not sent because its webhook has no secret. */
const noSecretOutcome = { status: null, error: 'the webhook has no secret', milliseconds: 0 }

export const isDelivered = ({ status }: Pick<Delivery, 'status'>) =>
  status !== null && status >= 200 && status < 300

/** A webhook with its encrypted secrets. The secrets are absent while the webhook is being created. */
type EncryptedSecrets = Pick<StoredWebhook, 'webhookId'> &
  Partial<Pick<StoredWebhook, 'sealed' | 'formerSealed' | 'formerUntil'>>

/** For this time, deliveries are also signed with a former secret. */
const formerSecretMs = 24 * 60 * 60 * 1000
const maxFormerSecrets = 10

export type Secrets = ReturnType<typeof webhookSecrets>

/** Encrypts and decrypts the secrets of webhooks with the cipher of the cursors. An encrypted secret can be used only for its webhook. */
export const webhookSecrets = (cipher: Cursors) => {
  const bindingOf = (webhookId: string) => `webhook ${webhookId}`
  const decrypt = ({ webhookId }: EncryptedSecrets, sealed: string | null | undefined) =>
    (sealed?.split(' ') ?? []).flatMap((one) => {
      const read = cipher.read(one, bindingOf(webhookId))
      return read ? [read] : []
    })
  /** The former secrets, each with its expiry. Earlier releases stored the expiry in the column `former_until`. */
  const formerSecrets = (webhook: EncryptedSecrets, now: number) =>
    decrypt(webhook, webhook.formerSealed)
      .map(([secret = '', until = webhook.formerUntil ?? 0]) => [secret, until] as const)
      .filter(([, until]) => now < Number(until))
  return {
    /** Returns the column values for a new secret. The replaced secret becomes a former one, which also signs for 24 hours. */
    rotate(secret: string, now: number, webhook: EncryptedSecrets) {
      const { webhookId } = webhook
      const replaced = decrypt(webhook, webhook.sealed).map(([one = '']) => [one, now + formerSecretMs])
      const former = [...replaced, ...formerSecrets(webhook, now)].map((one) =>
        cipher.make(one, bindingOf(webhookId)),
      )
      if (former.length > maxFormerSecrets) throw tooManySecrets(maxFormerSecrets)
      return {
        sealed: cipher.make([secret], bindingOf(webhookId)),
        formerSealed: former.join(' ') || null,
        formerUntil: former.length > 0 ? now + formerSecretMs : null,
      }
    },

    /** The secrets with which a delivery is signed now. Empty if the webhook has no secret. */
    signingSecrets: (webhook: EncryptedSecrets, now: number): readonly string[] =>
      [...decrypt(webhook, webhook.sealed), ...formerSecrets(webhook, now)].map(([secret]) => String(secret)),
  }
}
