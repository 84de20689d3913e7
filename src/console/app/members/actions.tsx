import { useState } from 'preact/hooks'
import type { ViewedMember } from '#console/app/api/members.ts'
import { useIsMounted } from '#console/app/state/mounted.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'
import { ChangePassword } from './change-password.tsx'
import { replaceWithList } from './query.ts'
import { RemoveMember } from './remove.tsx'

interface ActionsParts {
  readonly viewed: ViewedMember
  readonly onChange: () => void
}

export const MemberActions = ({ viewed, onChange }: ActionsParts) => {
  const { member } = viewed
  const words = useWords()
  const [open, setOpen] = useState<'password' | 'remove'>()
  const isMounted = useIsMounted()
  const leave = () => isMounted() && replaceWithList()
  const close = () => setOpen(undefined)
  return (
    <>
      <a class="button" href={hrefTo(`members/${member.memberId}/edit`)}>
        <Icon name="pencil" /> {words.edit}
      </a>
      <button type="button" class="button" onClick={() => setOpen('password')}>
        <Icon name="key" /> {words.members.changePassword}
      </button>
      <button type="button" class="button" onClick={() => setOpen('remove')}>
        <Icon name="bin" /> {words.delete}
      </button>
      {open === 'password' && <ChangePassword member={member} onClose={close} onChange={onChange} />}
      {open === 'remove' && (
        <RemoveMember viewed={viewed} onClose={close} onChange={onChange} onRemove={leave} />
      )}
    </>
  )
}
