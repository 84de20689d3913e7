import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import type { Cursors } from '#http/api/cursor.ts'
import type { Change } from '#http/api/feed.ts'
import type { Outlet } from '#resources/resource.ts'
import type { Delivery } from './schema.ts'
import type { Send } from './sending.ts'
import { signedFields } from './signing.ts'
import type { StoredWebhook } from './store.ts'

interface DispatchParts {
  readonly clock: Clock
  readonly newId: NewId
  readonly outlet: Outlet
  readonly secrets: Secrets
}

/** A change on its way to a receiver. */
interface Consignment {
  readonly webhook: StoredWebhook
  readonly change: Change
  /** Counted from 1. */
  readonly attempt: number
}

export type Dispatch = ReturnType<typeof dispatcher>

/** Sends one change, signed, and tells what became of it. Undefined if it was broken off. */
export const dispatcher =
  ({ clock, newId, outlet, secrets }: DispatchParts) =>
  async (
    { webhook, change, attempt }: Consignment,
    send: Send,
    stopped: AbortSignal,
  ): Promise<Delivery | undefined> => {
    const sentAt = clock.now()
    const body = outlet.written(change)
    const valid = secrets.of(webhook, sentAt)
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': outlet.userAgent,
      ...signedFields({ id: change.id, body, sentAt }, valid),
    }
    const outcome = valid.length === 0 ? unsigned : await send({ url: webhook.url, headers, body }, stopped)
    return (
      outcome && { deliveryId: newId(), changeId: change.id, type: change.type, sentAt, attempt, ...outcome }
    )
  }

/** What only the receiver of a webhook is told, and the log is not. */
export const ownChange = (
  { webhookId: subject, version }: Pick<StoredWebhook, 'webhookId' | 'version'>,
  told: Omit<Change, 'subject' | 'version' | 'changed' | 'unit'>,
): Change => ({ ...told, subject, version, changed: [], unit: '' })

/** Nothing is sent that a receiver could not verify. */
const unsigned = { status: null, error: 'it has no secret', milliseconds: 0 }

export const isDelivered = ({ status }: Pick<Delivery, 'status'>) =>
  status !== null && status >= 200 && status < 300

type Sealed = Pick<StoredWebhook, 'webhookId' | 'sealed' | 'formerSealed' | 'formerUntil'>

export type Secrets = ReturnType<typeof secretsBy>

/** Secrets are stored encrypted, as cursors are, and each is bound to its webhook. */
export const secretsBy = (cursors: Cursors) => {
  const place = (webhookId: string) => `webhook ${webhookId}`
  const opened = ({ webhookId }: Sealed, sealed: string | null) =>
    (sealed?.split(' ') ?? []).flatMap((one) => {
      const read = cursors.read(one, place(webhookId))
      return read ? [read] : []
    })
  /** Each with its end, which earlier releases stored only beside it. */
  const ofFormer = (webhook: Sealed, now: number) =>
    opened(webhook, webhook.formerSealed)
      .map(([secret = '', until = webhook.formerUntil]) => [secret, until] as const)
      .filter(([, until]) => now < Number(until))
  return {
    seal: (webhookId: string, secret: string) => cursors.make([secret], place(webhookId)),

    /** Those that sign beside one that is made now: the present one for so long, and those before that still do. */
    former(webhook: Sealed, now: number, lastingMs: number): readonly string[] {
      const present = opened(webhook, webhook.sealed).map(([secret = '']) => [secret, now + lastingMs])
      return [...present, ...ofFormer(webhook, now)].map((one) => cursors.make(one, place(webhook.webhookId)))
    },

    /** Those that sign now. None if it has none yet. */
    of: (webhook: Sealed, now: number): readonly string[] =>
      [...opened(webhook, webhook.sealed), ...ofFormer(webhook, now)].map(([secret]) => String(secret)),
  }
}
