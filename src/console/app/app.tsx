import type { ComponentChildren } from 'preact'
import { Documents } from './documents/later.tsx'
import { ImportPage } from './import/page.tsx'
import { EditMemberPage } from './members/edit.tsx'
import { MemberPage } from './members/member.tsx'
import { NewMemberPage } from './members/new.tsx'
import { MembersPage } from './members/page.tsx'
import { OverviewPage } from './overview/page.tsx'
import { Leaving } from './shell/leaving.tsx'
import { Lost } from './shell/lost.tsx'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { type Route, route } from './state/route.ts'
import { useStore } from './state/store.ts'
import { TodosPage } from './todos/page.tsx'

export const App = () => {
  const current = useStore(route)
  return (
    <>
      <Shell>{pageOf(current)}</Shell>
      <Leaving />
      <SignIn />
    </>
  )
}

/** Every page of the console, by its address. */
const pageOf = ({ path: [page = 'overview', ...rest] }: Route): ComponentChildren => {
  const [id, action] = rest
  if (page === 'overview') return <OverviewPage key="overview" />
  if (page === 'todos') return <TodosPage key="todos" />
  if (page === 'import') return <ImportPage key="import" />
  if (page === 'docs') return <Documents key="docs" path={rest} />
  if (page !== 'members') return <Lost key="lost" />
  if (id === undefined) return <MembersPage key="members" />
  if (id === 'new') return <NewMemberPage key="new" />
  if (action === 'edit') return <EditMemberPage key={`${id}/edit`} memberId={id} />
  return <MemberPage key={id} memberId={id} />
}
