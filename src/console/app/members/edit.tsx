import { EditPage } from '#console/app/records/edit.tsx'
import { memberKind } from './kind.ts'

export const EditMemberPage = ({ path: [memberId = ''] }: { path: readonly string[] }) => (
  <EditPage kind={memberKind} id={memberId} />
)
