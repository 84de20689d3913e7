import { useState } from 'preact/hooks'
import { isReduced } from '#client/index.ts'
import { type ReadOptions, readSignedIn } from '#console/app/api/call.ts'
import { recordsOf, resourceNamed } from '#console/app/api/declared.ts'
import { findMembers, maxSearchLength } from '#console/app/api/members.ts'
import { loadNamesInTitles } from '#console/app/api/names.ts'
import { nameOf } from '#console/app/members/name.ts'
import type { PickerProps } from '#console/app/records/kind.ts'
import { nameText, titleText } from '#console/app/records/names.ts'
import { useName } from '#console/app/records/value.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { Combobox } from '#console/app/ui/combobox.tsx'
import { Field } from '#console/app/ui/fields.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { useDebounced } from '#console/app/ui/search.tsx'
import { useWords } from '#console/app/words/index.ts'
import { textOrEmptyMark } from '#console/app/words/visible.ts'
import { isText } from '#core/display.ts'

const maxOffered = 6

/** The input for a reference. It offers records that match the typed text. Without a text, the reference is empty. */
export const Picker = ({ resource: resourceName, value, isLocked, onPick, ...fieldTexts }: PickerProps) => {
  const words = useWords()
  const [typed, setTyped] = useState<string>()
  const [picked, setPicked] = useState<OfferedRecords[number]>()
  const { value: named } = useName(resourceName, value)
  const { offered, failure } = useOffered(resourceName, typed)
  const shownName = picked?.id === value ? picked.name : value && nameText(value, named, words)
  const close = () => setTyped(undefined)
  const type = (text: string) => {
    setTyped(text)
    if (text === '') onPick('')
  }
  return (
    <Field {...fieldTexts}>
      {(attached) => (
        <div class="picker">
          <Combobox
            label={fieldTexts.label}
            inputAttributes={attached}
            text={typed ?? shownName}
            maxLength={maxSearchLength}
            choices={offered.map((one) => ({
              text: [one.name, one.note].filter(Boolean).join(' · '),
              choose() {
                setPicked(one)
                onPick(one.id)
                close()
              },
            }))}
            isOpen={typed !== undefined && offered.length > 0}
            isLocked={isLocked}
            onType={type}
            onClose={close}
          />
          <p class="unseen" role="status">
            {typed && offered.length === 0 && words.shortcuts.nothing}
          </p>
          {failure && <Failed failure={failure} />}
        </div>
      )}
    </Field>
  )
}

export type OfferedRecords = readonly { readonly id: string; readonly name: string; readonly note?: string }[]

/** The records that match the typed text, after a pause in typing. */
const useOffered = (resourceName: string, typed: string | undefined) => {
  const words = useWords()
  const text = useDebounced(typed?.trim())
  const { value, failure } = useLoad<OfferedRecords>(`${resourceName} ${text}`, async (options) =>
    text === undefined ? [] : findOffered(resourceName, text, options),
  )
  const offered = (typed !== undefined && value) || []
  return { offered: offered.map((one) => ({ ...one, name: textOrEmptyMark(one.name, words) })), failure }
}

export const findOffered = async (
  resourceName: string,
  text: string,
  options: ReadOptions,
): Promise<OfferedRecords> => {
  const resource = resourceNamed(resourceName)
  if (resource) {
    const query = { size: maxOffered, ...(text && resource.fields.some(isText) && { q: text }) }
    const { value } = await readSignedIn((init) => recordsOf(resource).page(query, init), options)
    await loadNamesInTitles(resource, value.content, options)
    return value.content.map((one) => ({
      id: String(one[`${resourceName}Id`]),
      name: titleText(resource, one),
    }))
  }
  const query = { name: text, sort: 'lastName', page: 0, size: maxOffered }
  const { value } = await findMembers(query, options)
  return value.content.map((one) => ({
    id: one.memberId,
    name: nameOf(one),
    ...(!isReduced(one) && { note: one.emailAddress }),
  }))
}
