import type { MemberRole, MemberView } from '#client/index.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { changeRole, readRole } from '#console/app/api/members.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { useWords } from '#console/app/words/index.ts'
import { quotedName } from './name.ts'

type RoleName = MemberRole['role']

/** The row of a record that shows its role, and changes it. Nothing for a user who may not see it. */
export const Role = ({ member }: { member: MemberView }) => {
  const { members: words } = useWords()
  const { ask, question } = useQuestion()
  const { memberId, lastModifiedAt } = member
  const { value: role, reload } = useLoad(`${memberId} ${lastModifiedAt}`, (options) =>
    readRole(memberId, options),
  )
  if (!role) return null
  const names = words.roles
  const change = (to: RoleName) =>
    changeRole(memberId, to).then(reload, (error) =>
      notifyFailure(words.failedRole(quotedName(member)), failureOf(error)),
    )
  const choose = (to: RoleName) =>
    ask({
      title: words.roleOf(quotedName(member), names[to]),
      text: words.roleMeans[to],
      yes: names[to],
      kind: to === 'suspended' ? 'danger' : 'primary',
      onYes: () => change(to),
    })
  return (
    <div>
      <dt>{words.role}</dt>
      <dd>
        <select
          class="input"
          aria-label={words.role}
          value={role}
          onChange={({ currentTarget }) => choose(currentTarget.value as RoleName)}
        >
          {(Object.keys(names) as RoleName[]).map((one) => (
            <option key={one} value={one}>
              {names[one]}
            </option>
          ))}
        </select>
        {question}
      </dd>
    </div>
  )
}
