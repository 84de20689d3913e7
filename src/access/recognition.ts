import type { Problem } from '#core/problem.ts'
import type { Caller, Guard } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Authenticate } from './principals.ts'

/**
 * The time for which an instance trusts a cached principal without asking the database again. It is short, because the notification
 * that a right was withdrawn may be late or lost (decision 0049).
 */
const confirmationLifetimeMs = 1_000

interface RecognitionParts {
  readonly authenticate: Authenticate
  /** The refusal of a caller whose access was withdrawn. */
  readonly refusal: (caller: Caller) => Problem
}

export const recognition = ({
  authenticate,
  refusal,
}: RecognitionParts): Pick<Guard, 'recognize' | 'recognizeAgain'> => {
  const recognizeAgain = async ({ reread }: Principal, caller: Caller) => {
    const principal = await (reread ? reread() : authenticate(caller))
    if (!principal) throw refusal(caller)
    return principal
  }
  const confirmations = new WeakMap<Principal, { atMs: number; principal: Promise<Principal> }>()
  const confirm = (cached: Principal, caller: Caller) => {
    const atMs = performance.now()
    const last = confirmations.get(cached)
    if (last && atMs - last.atMs < confirmationLifetimeMs) return last.principal
    const principal = recognizeAgain(cached, caller)
    confirmations.set(cached, { atMs, principal })
    principal.catch(() => confirmations.delete(cached))
    return principal
  }
  return {
    recognizeAgain,
    recognize(caller) {
      const found = authenticate(caller)
      return found instanceof Promise || !found.reread ? found : confirm(found, caller)
    },
  }
}
