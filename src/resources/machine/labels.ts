import { type Locale, locales } from '#core/locale.ts'
import type { Declaration } from '#resources/declaration.ts'

/** The names of a resource and its fields for people, in one language. */
export interface Labels {
  readonly one: string
  readonly many: string
  readonly about: string | undefined
  /** By field and action, and by `kind.book` for a code of a field. */
  readonly fields: Readonly<Record<string, { readonly label: string; readonly about: string | undefined }>>
}

/** The plural in paths and programs. */
export const pluralOf = ({ name, plural = `${name}s` }: Pick<Declaration, 'name' | 'plural'>) => plural

/** Labels in every language: those of the declaration, else those that follow from the names. */
export const labelsOf = (declaration: Declaration) => {
  const { name, fields, actions = {}, words = {} } = declaration
  return Object.fromEntries(
    locales.map((locale): [Locale, Labels] => {
      const own = words[locale] ?? {}
      const [one = spoken(name), many = spoken(pluralOf(declaration)), about] = [own[name] ?? []].flat()
      const names = new Set([
        `${name}Id`,
        ...Object.keys(fields),
        ...Object.keys(actions),
        ...['createdAt', 'lastModifiedAt'],
        ...Object.keys(own).filter((word) => word !== name),
      ])
      const idLabel = (field: string) => (locale === 'ja' && field === `${name}Id` ? `${one} ID` : undefined)
      const said = [...names].map((field) => {
        const [
          label = commonLabels[locale][field] ?? idLabel(field) ?? spoken(named(field, fields[field])),
          says,
        ] = [own[field] ?? []].flat()
        return [field, { label, about: says }] as const
      })
      return [locale, { one, many, about, fields: Object.fromEntries(said) }]
    }),
  ) as Readonly<Record<Locale, Labels>>
}

/** A reference has the name of its resource: `memberId` is "Member". */
const named = (field: string, schema: object = {}) =>
  'reference' in schema ? field.replace(/(?<=.)Id$/, '') : field

/** `lastModifiedAt` as "Last modified at". */
export const spoken = (name: string) => capital(spokenOf(name))

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A name within a sentence. */
export const spokenOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export const nounOf = (name: string) => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${spokenOf(name)}`

const commonLabels: Readonly<Record<Locale, Readonly<Record<string, string>>>> = {
  en: {},
  ja: { createdAt: '作成日時', lastModifiedAt: '更新日時' },
}
