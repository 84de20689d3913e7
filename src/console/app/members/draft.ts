import type { Member, MemberUpdate, NewMember } from '#client/index.ts'
import { unreadable } from '#console/app/ui/text-field.tsx'
import { credentialFields, type ProfileField, profileFields } from './fields.ts'

/** What the user typed: everything is text, and empty fields are not sent. */
export type Draft = Readonly<Record<DraftField, string>>

export type DraftField = ProfileField | (typeof credentialFields)[number]

export const emptyDraft = Object.fromEntries(
  [...profileFields, ...credentialFields].map((field) => [field, '']),
) as Draft

export const isSameDraft = (one: Draft, other: Draft) =>
  Object.entries(one).every(([field, text]) => other[field as DraftField] === text)

export const draftOf = (member: Member): Draft => ({
  ...emptyDraft,
  ...Object.fromEntries(profileFields.map((field) => [field, member[field] ?? ''])),
})

/** What the user and somebody else made of the same version. */
interface Comparison {
  /** The fields that both changed, to different values. */
  readonly clashes: readonly ProfileField[]
  /** The fields that only the user changed. */
  readonly mine: readonly ProfileField[]
  /** The fields that only somebody else changed. */
  readonly theirs: readonly ProfileField[]
  /** The changes of both; in a clash, those of the user. */
  readonly merged: Draft
}

export const compare = (base: Draft, mine: Draft, theirs: Draft): Comparison => {
  const byMe = profileFields.filter((field) => mine[field] !== base[field])
  const byThem = profileFields.filter((field) => theirs[field] !== base[field])
  const taken = byThem.filter((field) => !byMe.includes(field))
  return {
    clashes: byMe.filter((field) => byThem.includes(field) && mine[field].trim() !== theirs[field].trim()),
    mine: byMe.filter((field) => !byThem.includes(field)),
    theirs: taken,
    merged: { ...mine, ...pick(theirs, taken) },
  }
}

/** Some fields of a draft. */
export const pick = (draft: Draft, fields: readonly ProfileField[]): Partial<Draft> =>
  Object.fromEntries(fields.map((field) => [field, draft[field]]))

/**
 * An empty or unreadable field is null, unless it was the empty text before: the service distinguishes the two. White space
 * around what was typed is dropped; what was not touched is sent as it was.
 */
export const profileOf = (draft: Draft, before?: Member): MemberUpdate => {
  const values = profileFields.map((field) => {
    const typed = draft[field] === unreadable ? '' : draft[field]
    const text = typed === before?.[field] ? typed : typed.trim()
    return [field, text === '' && before?.[field] !== '' ? null : text]
  })
  // The service judges whether it is complete; its messages appear next to the fields.
  return Object.fromEntries(values) as MemberUpdate
}

export const newMemberOf = (draft: Draft): NewMember => {
  const credential = {
    signId: draft['credential.signId'].trim() || null,
    password: draft['credential.password'] || null,
  }
  return { ...profileOf(draft), credential } as NewMember
}
