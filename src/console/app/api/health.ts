import { wire, withHealthTimeout } from './wire.ts'

export interface Health {
  readonly isReady: boolean
  readonly reasons: readonly string[]
}

export const readHealth = async (signal: AbortSignal): Promise<Health> => {
  const response = await wire('/health/ready', { signal: withHealthTimeout(signal) })
  const { reasons = [] } = (await response.json()) as { readonly reasons?: readonly string[] }
  return { isReady: response.ok, reasons }
}
