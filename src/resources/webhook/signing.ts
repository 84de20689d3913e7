import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

export const newSecret = () => prefix + randomBytes(secretBytes).toString('base64')

interface Message {
  readonly id: string
  readonly body: string
  /** Milliseconds since 1970. */
  readonly sentAt: number
}

/** The header fields of Standard Webhooks, with one signature for each secret. */
export const signedFields = ({ id, body, sentAt }: Message, secrets: readonly string[]) => {
  const timestamp = String(Math.floor(sentAt / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
