import { ArrayOf, Flag, Id, ReadOnly, Text } from '#core/schema.ts'
import { RequestOf, ResponseOf } from '#core/shapes.ts'

/** The maximum number of views that a caller can save. */
export const maxViews = 50
/** The maximum number of shared views of other callers in the list that a caller gets. */
export const maxSharedViews = 100

export const viewFields = {
  viewId: ReadOnly(Id),
  name: Text(1, 60),
  page: Text(1, 64),
  query: Text(0, 2000),
  shared: Flag,
  mine: ReadOnly(Flag),
}

export const SavedView = ResponseOf('savedView', viewFields)
export const NewSavedView = RequestOf('savedView', viewFields)
export const SavedViews = ResponseOf('savedViews', {
  content: ReadOnly(ArrayOf(SavedView, maxViews + maxSharedViews)),
})
