import { useState } from 'preact/hooks'
import { type Failure, failureOf, faultsByTarget } from '#console/app/api/failure.ts'
import { useWords } from '#console/app/words/index.ts'
import { faultText } from '#console/app/words/visible.ts'

/** Sends a form. Faults of fields are shown next to the fields, any other `failure` above the buttons, until the next sending. */
export const useSending = (fields: readonly string[]) => {
  const words = useWords()
  const [isSending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<Failure>()
  const [cleared, setCleared] = useState<readonly string[]>([])
  const faults = [...(refusal ? faultsByTarget(refusal) : [])]
  const isBesideFields = faults.length > 0 && faults.every(([target]) => fields.includes(target))
  const errors = new Map(
    faults
      .filter(([target]) => !cleared.includes(target))
      .map(([target, fault]) => [target, faultText(fault, words)]),
  )

  /** Resolves to false if the request failed, or if another request of this form is in flight. */
  const send = async (work: () => Promise<unknown>) => {
    if (isSending) return false
    setSending(true)
    setRefusal(undefined)
    setCleared([])
    try {
      await work()
      return true
    } catch (error) {
      setRefusal(failureOf(error))
      return false
    } finally {
      setSending(false)
    }
  }
  /** Hides the fault of a field, for use when the user has changed the field. */
  const clearFault = (field: string) => setCleared((now) => (now.includes(field) ? now : [...now, field]))
  return { send, clearFault, isSending, refusal, errors, failure: isBesideFields ? undefined : refusal }
}

export type Sending = ReturnType<typeof useSending>
