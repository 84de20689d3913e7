import { useWords } from '#console/app/words/index.ts'

interface ChecksParts<T extends string> {
  readonly label: string
  /** The choices with their texts, beside what they concern. */
  readonly groups: readonly (readonly [
    about: string,
    choices: readonly (readonly [value: T, text: string])[],
  ])[]
  readonly chosen: readonly T[]
  readonly isRefused: boolean
  readonly onChoose: (chosen: readonly T[]) => void
}

/** A choice of one or several. */
export const Checks = <T extends string>({ label, groups, chosen, isRefused, onChoose }: ChecksParts<T>) => {
  const { faults } = useWords()
  const toggle = (value: T) =>
    onChoose(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
  return (
    <fieldset class="scopes">
      <legend class="field-label">{label}</legend>
      {groups.map(([about, choices]) => (
        <p key={about} class={about === '' ? 'scopes-all' : undefined}>
          {about !== '' && <span>{about}</span>}
          {choices.map(([value, text]) => (
            <label key={value}>
              <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
              <span class="unseen">{about}</span> {text}
            </label>
          ))}
        </p>
      ))}
      <p class="field-error form-check">{isRefused && faults.chooseOne}</p>
    </fieldset>
  )
}
