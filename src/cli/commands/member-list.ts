import type { MemberFilter, MemberView } from '#client/types.ts'
import { flagOf, itemCommands } from '#src/cli/service.ts'

/** What the list can be filtered by, and what each flag does. One that is left out does not compile. */
const filters: Readonly<Record<keyof MemberFilter, string>> = {
  name: 'whose name contains this text, ignoring case, width and accents',
  q: 'whose name contains this text, or whose e-mail address, sign id or telephone number begins with it',
  emailAddress: 'with this e-mail address; "john*" finds those that begin so',
  signId: 'who signs in with this; "john*" finds those that begin so',
  telephoneNumber: 'with this telephone number; "090*" finds those that begin so',
  genderCode: '0 (unknown), 1 (men) or 2 (women)',
  role: 'administrator or suspended: those who were given this role',
  bornFrom: 'born on this day or later (yyyy-MM-dd)',
  bornTo: 'born before this day',
  birthdayFrom: 'whose birthday is on this day of the year (MM-dd) or later',
  birthdayTo:
    'whose birthday is before this day; "--birthday-from 12-28 --birthday-to 01-04" is over New Year',
  createdFrom: 'created on this day, or at this time, or later',
  createdTo: 'created before this day or time',
  modifiedFrom: 'last modified on this day, or at this time, or later',
  modifiedTo: 'last modified before this day or time',
}

export const memberList = () => {
  const { listing } = itemCommands('member')
  const command = listing<MemberView>('List members in order of creation.', '--name smith --json', {
    columns: ['id', 'name', 'signs in as', 'e-mail'],
    row,
    pages({ members }, size, flags) {
      const given = Object.entries(flags).filter(([name]) => Object.hasOwn(filters, name))
      return members.pages({ ...Object.fromEntries(given), size })
    },
  })
  for (const [name, what] of Object.entries(filters)) command.option(`${flagOf(name)} <value>`, what)
  return command
}

const row = ({ memberId, firstName, lastName, credential, emailAddress }: MemberView) => [
  memberId,
  `${firstName} ${lastName}`,
  credential?.signId ?? '',
  emailAddress ?? '',
]
