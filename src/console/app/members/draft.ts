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

/** The fields that somebody else changed meanwhile to something other than the user wants. */
export const clashesOf = (base: Draft, mine: Draft, theirs: Draft) =>
  profileFields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field])

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
