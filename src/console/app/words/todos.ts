import { count, number, type TextTable } from './texts.ts'

export const todos = {
  fields: { finished: ['State', '状態'] },
  subtitle: `Short tasks, shared by everyone with access.
    利用できる全員で共有する、短いやることの一覧です。`,
  add: ['Add', '追加'],
  newTitle: ['What needs to be done?', '何をしますか？'],
  left: (n: number) => [count(n, 'character left', 'characters left'), `あと ${number(n)} 文字`],
  over: (n: number) => [count(n, 'character too many', 'characters too many'), `${number(n)} 文字超過`],
  filter: ['Show', '表示'],
  filters: { all: ['All', 'すべて'], open: ['Open', '未完了'], finished: ['Finished', '完了'] },
  search: ['Search todos', 'やることを検索'],
  noHits: (text: string) => [`No todo found for “${text}”`, `「${text}」に当てはまるやることはありません`],
  noHitsText: `Any part of a title is found. Case, width and accents make no difference.
    一部を入力すれば見つかります。大文字と小文字、全角と半角、アクセントは区別しません。`,
  finish: (title: string) => [`Finish “${title}”`, `「${title}」を完了にする`],
  reopen: (title: string) => [`Reopen “${title}”`, `「${title}」を未完了に戻す`],
  rename: (title: string) => [`Rename “${title}”`, `「${title}」の名前を変える`],
  remove: (title: string) => [`Delete “${title}”`, `「${title}」を削除`],
  newName: ['New title', '新しいタイトル'],
  renamedElsewhere: (title: string) => `
    Somebody else has renamed this to “${title}”. Save again to replace that, or cancel to keep it.
    ほかの人がこの名前を「${title}」に変えました。もう一度保存すると置き換わり、キャンセルするとそのままになります。`,
  addedOpen: (title: string) => `“${title}” is among the open todos
    「${title}」を未完了のやることに追加しました`,
  finished: (title: string) => [`Finished “${title}”`, `「${title}」を完了にしました`],
  reopened: (title: string) => [`Reopened “${title}”`, `「${title}」を未完了に戻しました`],
  renamed: (from: string, to: string) => `Renamed “${from}” to “${to}”
    「${from}」を「${to}」に変更しました`,
  removed: (title: string) => [`Deleted “${title}”`, `「${title}」を削除しました`],
  restored: (title: string) => [`Restored “${title}”`, `「${title}」の削除を取り消しました`],
  seal: ['', '済'],
  more: ['Show more', 'さらに表示'],
  none: {
    all: {
      title: ['Nothing to do', 'やることはありません'],
      text: `Write the first todo above and press Enter.
        上の欄に書いて Enter を押すと、最初のやることになります。`,
    },
    open: {
      title: ['All done', 'すべて完了'],
      text: ['Every todo has its seal.', 'どのやることにも「済」の印があります。'],
    },
    finished: {
      title: ['Nothing finished yet', '完了したものはまだありません'],
      text: `Press the ring of a todo to finish it and give it its seal.
        丸を押すと「済」の印が付きます。`,
    },
  },
  failed: {
    add: (title: string) => [`“${title}” was not added.`, `「${title}」は追加されませんでした。`],
    addPerhaps: (title: string) => `“${title}” may not have been added.
      「${title}」が追加されたかどうか確認できません。`,
    finish: (title: string) => [`“${title}” was not finished.`, `「${title}」は完了になりませんでした。`],
    reopen: (title: string) => [`“${title}” was not reopened.`, `「${title}」は未完了に戻りませんでした。`],
    rename: (from: string, to: string) => `“${from}” was not renamed to “${to}”.
      「${from}」の名前は「${to}」に変わりませんでした。`,
    remove: (title: string) => [`“${title}” was not deleted.`, `「${title}」は削除されませんでした。`],
  },
  list: ['Todos', 'やることの一覧'],
} satisfies TextTable
