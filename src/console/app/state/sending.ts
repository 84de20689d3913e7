import { useMemo, useState } from 'preact/hooks'
import { type Failure, failureOf, messagesByTarget } from '#console/app/api/failure.ts'

const noErrors: ReadonlyMap<string, string> = new Map()

/** A form on its way: what the service says of its fields stands beside them, anything else above its buttons. */
export const useSending = (fields: readonly string[]) => {
  const [isSending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<Failure>()
  const messages = useMemo(() => (refusal ? messagesByTarget(refusal) : noErrors), [refusal])
  const isBesideFields = messages.size > 0 && [...messages.keys()].every((target) => fields.includes(target))

  /** False when it was refused, or when one is on its way already. `unless` may take care of a refusal itself. */
  const send = async (work: () => Promise<unknown>, unless?: (failure: Failure) => boolean) => {
    if (isSending) return false
    setSending(true)
    setRefusal(undefined)
    try {
      await work()
      return true
    } catch (error) {
      const failure = failureOf(error)
      if (!unless?.(failure)) setRefusal(failure)
      return false
    } finally {
      setSending(false)
    }
  }
  return { send, isSending, errors: messages, failure: isBesideFields ? undefined : refusal }
}
