import { SegmentsField, segmentsOf } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import type { DateOrder } from '#core/foreign.ts'
import { decodeAs, type Loaded, remap } from './course.ts'
import { lacksPasswords, orderOf } from './mapping.ts'
import { filled } from './record.ts'
import { labelOf } from './report.ts'

/** How the columns of the file are understood. It is open if a person should look at it. */
export const ColumnChoices = ({ loaded }: { loaded: Loaded }) => {
  const { table, mapping } = loaded
  const { import: words } = useWords()
  const shown = table.headings.flatMap((heading = '', at) =>
    heading.trim() !== '' || samplesOf(loaded, at).length > 0 ? [at] : [],
  )
  return (
    <details class="import-columns" open={mapping.isDoubtful}>
      <summary>{words.columns}</summary>
      <ul>
        {shown.map((at) => (
          <ColumnChoice key={at} loaded={loaded} at={at} />
        ))}
      </ul>
      <div class="row import-choices">
        {orderOf(mapping.names, table.rows) && (
          <SegmentsField<DateOrder | 'open'>
            label={words.dates}
            segments={segmentsOf(words.dateOrders)}
            value={mapping.order ?? 'open'}
            onChoose={(order) => remap({ order })}
          />
        )}
        {!table.encoding.startsWith('utf') && (
          <SegmentsField
            label={words.encoding}
            segments={segmentsOf(words.encodings)}
            value={table.encoding}
            onChoose={decodeAs}
          />
        )}
        {lacksPasswords(mapping, table.rows) && (
          <SegmentsField
            label={words.passwords}
            segments={segmentsOf(words.passwordChoices)}
            value={mapping.passwords}
            onChoose={(passwords) => remap({ passwords })}
          />
        )}
      </div>
      {mapping.passwords === 'made' && lacksPasswords(mapping, table.rows) && (
        <p class="faint">{words.passwordsNote}</p>
      )}
    </details>
  )
}

const ColumnChoice = ({ loaded, at }: { loaded: Loaded; at: number }) => {
  const words = useWords()
  const { kind, names, order } = loaded.mapping
  const heading = loaded.table.headings[at] ?? ''
  const choose = (field: string) => {
    const others = names.map((name) => (name === field ? undefined : name))
    const chosen = others.with(at, field || undefined)
    const isSameDate = chosen.indexOf('dateOfBirth') === names.indexOf('dateOfBirth')
    remap({ names: chosen, order: isSameDate ? order : orderOf(chosen, loaded.table.rows) })
  }
  return (
    <li>
      <label>
        <strong dir="auto">{isolated(heading)}</strong>
        <span class="faint" dir="auto">
          {samplesOf(loaded, at).join(words.import.comma)}
        </span>
        <select class="input" value={names[at] ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{words.import.leaveOut}</option>
          {filled[kind].map((field) => (
            <option key={field} value={field}>
              {labelOf(field, words)}
            </option>
          ))}
        </select>
      </label>
    </li>
  )
}

const sampleCount = 2
const sampleLetters = 40

/** The first different values of a column. Passwords are not shown. */
const samplesOf = ({ table, mapping }: Loaded, at: number): readonly string[] => {
  const samples = new Set<string>()
  for (const { cells } of table.rows) {
    const cell = cells[at]
    if (cell?.trim())
      samples.add(mapping.names[at] === 'credential.password' ? '••••' : cell.slice(0, sampleLetters))
    if (samples.size === sampleCount) break
  }
  return [...samples]
}
