import { useId } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

interface Segment<T extends string> {
  readonly value: T
  readonly label: string
  /** Shown in place of the label, which screen readers still read. */
  readonly short?: string
  readonly icon?: IconName
  /** The number of records with this choice. */
  readonly count?: string | undefined
  /** The language of the label, if it differs from that of the page. */
  readonly lang?: string
}

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly segments: readonly Segment<T>[]
  readonly value: T
  /** The id of the text that says why the choice was refused. */
  readonly errorId?: string | undefined
  readonly isRequired?: boolean
  /** Set while the form is sent: the chosen segment keeps the focus, but no other segment can be chosen. */
  readonly isLocked?: boolean
  readonly onChoose: (value: T) => void
}

/** A choice of one among a few. It consists of radio buttons, so that arrow keys move between the choices. */
export const Segments = <T extends string>(props: SegmentsProps<T>) => {
  const { label, segments, value, errorId, isRequired, isLocked, onChoose } = props
  const name = useId()
  const hasOnlyIcons = segments.every(({ icon }) => icon)
  return (
    <div
      class={`segments ${hasOnlyIcons ? 'segments-icons' : ''}`}
      role="radiogroup"
      aria-label={label}
      aria-describedby={errorId}
      aria-invalid={errorId !== undefined}
      aria-required={isRequired}
    >
      {segments.map((segment) => (
        <label
          class="segment"
          key={segment.value}
          title={hasOnlyIcons ? segment.label : undefined}
          lang={segment.lang}
        >
          <input
            type="radio"
            name={name}
            aria-label={segment.count ? `${segment.label} ${segment.count}` : segment.label}
            checked={segment.value === value}
            aria-disabled={isLocked}
            onClick={(event) => isLocked && event.preventDefault()}
            onChange={() => onChoose(segment.value)}
          />
          <span>
            {segment.icon ? <Icon name={segment.icon} /> : (segment.short ?? segment.label)}
            {segment.count && <small>{segment.count}</small>}
          </span>
        </label>
      ))}
    </div>
  )
}

/** The options of a select or of segments: one for each text, in this order. */
export const optionsOf = <T extends Readonly<Record<string, string>>>(
  texts: T,
  order: readonly (keyof T & string)[] = Object.keys(texts),
) => order.map((value) => ({ value, label: texts[value] ?? value }))

type SegmentsFieldProps<T extends string> = Omit<SegmentsProps<T>, 'errorId'> & {
  /** Why the choice was refused. */
  readonly error?: string | undefined
}

/** Segments as a field of a form, with a visible label. */
export const SegmentsField = <T extends string>({ error, ...props }: SegmentsFieldProps<T>) => {
  const id = useId()
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        {props.label}
      </span>
      <Segments {...props} errorId={error && id} />
      {error && (
        <p class="field-error" id={id}>
          {error}
        </p>
      )}
    </div>
  )
}
