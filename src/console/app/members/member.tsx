import { useState } from 'preact/hooks'
import { type Done, isReduced, type MemberRole, type MemberView, type SeenMember } from '#client/index.ts'
import { failureOf, isConflict, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { changeRole, readMember, readRole, removeMember, seesOnlyNames } from '#console/app/api/members.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { remove, removed } from '#console/app/state/removing.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { ChangePassword } from './change-password.tsx'
import { failedTitle, nameOf, quotedName } from './name.ts'
import { hrefToList, neighboursOf, replaceWithList } from './query.ts'
import { Record } from './record.tsx'

export const useMember = (memberId: string) =>
  useLoad<Done<SeenMember>>(memberId, (options, before) => readMember(memberId, options, before), {
    of: [memberId],
  })

/** One member. A user who sees only its name gets no actions. */
export const MemberPage = ({ memberId }: { memberId: string }) => {
  const words = useWords()
  const { value, failure, isLoading, reload } = useMember(memberId)
  const isDeleted =
    useStore(removed).has(memberId) || (value !== undefined && failure !== undefined && isGone(failure))
  const mayGiveRoles = !useStore(seesOnlyNames)
  const hasActions = value && !isReduced(value.value) && !isDeleted
  return (
    <Page
      title={value ? nameOf(value.value) : failure && failedTitle(failure, words)}
      above={{ title: words.pages.members, href: hrefToList() }}
      actions={
        <>
          <Neighbours memberId={memberId} />
          {hasActions && <Actions known={value} onChange={reload} />}
        </>
      }
    >
      {isDeleted ? (
        <p class="banner" role="alert">
          {words.members.gone} <a href={hrefTo(`members/${memberId}/history`)}>{words.members.history}</a>
        </p>
      ) : (
        failure && <Failed failure={failure} onRetry={reload} />
      )}
      {value && (
        <Record
          member={value.value}
          isLoading={isLoading}
          role={hasActions && mayGiveRoles && <Role member={value.value} />}
        />
      )}
      {!value && !failure && <RecordSkeleton />}
    </Page>
  )
}

const Neighbours = ({ memberId }: { memberId: string }) => {
  const { members: words } = useWords()
  const [previous, next] = neighboursOf(memberId)
  const links = [
    { icon: 'left', label: words.previousMember, id: previous, shortcut: 'k' },
    { icon: 'right', label: words.nextMember, id: next, shortcut: 'j' },
  ] as const
  return links.map(({ icon, label, id, shortcut }) => {
    const address = id && hrefTo(`members/${id}`)
    return (
      address && (
        <a key={icon} class="icon-button" href={address} title={label} aria-keyshortcuts={shortcut}>
          <Icon name={icon} />
          <span class="unseen">{label}</span>
        </a>
      )
    )
  })
}

export const RecordSkeleton = () => (
  <div class="sheet sheet-padded record-skeleton" aria-hidden="true">
    {Array.from({ length: 5 }, (_, index) => (
      <span class="skeleton" key={index} />
    ))}
  </div>
)

const Actions = ({ known, onChange }: { known: Done<SeenMember>; onChange: () => void }) => {
  const words = useWords()
  const [isChangingPassword, setChangingPassword] = useState(false)
  const { value: member } = known
  return (
    <>
      <Button icon="pencil" text={words.edit} shortcut="e" href={hrefTo(`members/${member.memberId}/edit`)} />
      <Button icon="key" text={words.members.changePassword} onClick={() => setChangingPassword(true)} />
      <Button icon="clock" text={words.members.history} href={hrefTo(`members/${member.memberId}/history`)} />
      <Button icon="bin" text={words.delete} onClick={() => removeShown(known)} />
      {isChangingPassword && (
        <ChangePassword member={member} onClose={() => setChangingPassword(false)} onChange={onChange} />
      )}
    </>
  )
}

/** Deletes only the version that was shown. */
const removeShown = (known: Done<SeenMember>) => {
  const name = () => quotedName(known.value)
  remove({
    id: known.value.memberId,
    send: () => removeMember(known),
    done: () => wordsNow().members.removed(name()),
    undone: () => wordsNow().members.restored(name()),
    failed: () => wordsNow().members.failedRemove(name()),
    reason(failure) {
      const { members } = wordsNow()
      if (isConflict(failure)) return members.changedBeforeRemove
      return isOutcomeUnknown(failure) ? members.unansweredRemove : undefined
    },
  })
  replaceWithList()
}

type RoleName = MemberRole['role']

/** The row of a record that shows its role, and changes it. Nothing for a user who may not see it. */
const Role = ({ member }: { member: MemberView }) => {
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
