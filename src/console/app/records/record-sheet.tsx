import type { ComponentChildren } from 'preact'
import { trimInvisible } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import type { Kind, Section } from './kind.ts'
import { Value } from './value.tsx'

interface SheetProps {
  readonly kind: Kind
  readonly item: object
  readonly isLoading: boolean
  /** Rows that only this kind has, at the end of a section. */
  readonly rows?: ((item: object, section: Section) => ComponentChildren) | undefined
}

/** The fields of a record. Fields that the service does not show are left out. */
export const RecordSheet = ({ kind, item, isLoading, rows }: SheetProps) => {
  const shown = kind
    .record()
    .map((section) => ({
      section,
      fields: section.fields.filter(({ name }) => valueAt(item, name) !== undefined),
    }))
    .filter(({ fields }) => fields.length > 0)
  return (
    <div class="sheet record" aria-busy={isLoading}>
      {shown.map(({ section, fields }, index) => (
        <section key={section.title}>
          {index === 0 && (
            <div class="record-seal" aria-hidden="true">
              {[...trimInvisible(kind.titleOf(item))][0]}
            </div>
          )}
          <h2>{section.title}</h2>
          <dl>
            {fields.map((field) => (
              <div key={field.name}>
                <dt>{field.label}</dt>
                <dd class={field.kind === 'id' ? 'mono' : undefined} dir="auto">
                  <Value field={field} item={item} />
                </dd>
              </div>
            ))}
            {rows?.(item, section)}
          </dl>
        </section>
      ))}
    </div>
  )
}

export const RecordSkeleton = () => (
  <div class="sheet sheet-padded record-skeleton" aria-hidden="true">
    {Array.from({ length: 5 }, (_, index) => (
      <span class="skeleton" key={index} />
    ))}
  </div>
)
