import type { Member } from '#resources/member/schema.ts'
import { memberStore } from '#resources/member/store.ts'
import type { Database } from '#sql/database.ts'
import { newChangeLog } from './new-change-log.ts'

export const memberStoreOn = (db: Database) => memberStore(db, newChangeLog())

/** A stored member, which differs from others by its number. */
export const storedMember = (number: number, change: Partial<Member> = {}): Member => ({
  memberId: `01920000-0000-7000-8000-${String(number).padStart(12, '0')}`,
  firstName: 'John',
  lastName: 'Smith',
  genderCode: '1',
  dateOfBirth: '1983-01-17',
  emailAddress: 'john@example.com',
  telephoneNumber: null,
  zipCode: null,
  address: null,
  credential: { signId: `john${number}`, passwordLastChangedAt: 0, lastModifiedAt: 0 },
  createdAt: number,
  lastModifiedAt: 0,
  version: 1,
  ...change,
})
