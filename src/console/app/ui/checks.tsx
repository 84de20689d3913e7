interface ChecksParts<T extends string> {
  readonly label: string
  /** The choices with their texts, grouped by subject. */
  readonly groups: readonly (readonly [
    heading: string,
    choices: readonly (readonly [value: T, text: string])[],
  ])[]
  readonly chosen: readonly T[]
  readonly error?: string | undefined
  readonly onChoose: (chosen: readonly T[]) => void
}

export const Checks = <T extends string>({ label, groups, chosen, error, onChoose }: ChecksParts<T>) => {
  const toggle = (value: T) =>
    onChoose(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
  return (
    <fieldset class="scopes">
      <legend class="field-label">{label}</legend>
      {groups.map(([heading, choices], index) => (
        <p key={index} class={heading === '' ? 'scopes-all' : undefined}>
          {heading !== '' && <span>{heading}</span>}
          {choices.map(([value, text]) => (
            <label key={value}>
              <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
              <span class="unseen">{heading}</span> {text}
            </label>
          ))}
        </p>
      ))}
      <p class="field-error form-check">{error}</p>
    </fieldset>
  )
}
