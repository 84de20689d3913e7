import { ImportPage } from '#console/app/import/page.tsx'
import { ActivityPage } from './activity/page.tsx'
import { DeclaredPage } from './declared/page.tsx'
import { DocumentsPage } from './documents/page.tsx'
import { HistoryPage } from './history/page.tsx'
import { InvitationPage } from './invitation/page.tsx'
import { EditMemberPage, NewMemberPage } from './members/forms.tsx'
import { ServicePage } from './service/page.tsx'

export { Picker } from './declared/picker.tsx'
export { Export } from './export/export.tsx'
export { importRows } from './import/imports.ts'
export { ImportProgress } from './import/progress.tsx'
export { ChangePassword } from './members/change-password.tsx'
export { invite } from './members/invite.ts'
export { BulkChange } from './records/bulk-change.tsx'
export { CellEdit } from './records/cell.tsx'
export { Panel } from './records/panel.tsx'
export { Palette } from './shell/palette.tsx'

/** Pages whose code is loaded when one of them is first opened. They share one file, because many small files load more slowly. */
export const lazyPages = {
  import: ImportPage,
  invitation: InvitationPage,
  declared: DeclaredPage,
  docs: DocumentsPage,
  activity: ActivityPage,
  service: ServicePage,
  history: HistoryPage,
  new: NewMemberPage,
  edit: EditMemberPage,
} as const
