import type { TextTable } from './texts.ts'

export const overview = {
  subtitle: ['Counts, health and recent changes.', '登録の状況と最近の動きです。'],
  openTodos: ['Open todos', '未完了'],
  finishedTodos: ['Finished todos', '完了'],
  health: ['Health', '稼働状態'],
  up: ['Ready', '稼働中'],
  down: ['Not ready', '準備未了'],
  away: ['Not reachable', '接続不可'],
  countedAt: (time: string) => [`Counted at ${time}`, `件数は ${time} 現在`],
  reasons: {
    draining: ['shutting down', '停止処理中'],
    storage: ['storage unavailable', 'ストレージに接続できません'],
    formerPrimary: `only a former primary of PostgreSQL is there
      以前の PostgreSQL プライマリにしか接続できません`,
    migrations: ['tables not up to date', 'テーブルが最新ではありません'],
  },
  lastDays: ['The last 30 days', '直近 30 日間'],
  first: {
    title: ['First steps', '最初にすること'],
    add: ['Add a person', '会員を追加する'],
    invite: (
      button: string,
    ) => `and press “${button}” on the record: a link lets the person choose a password.
      記録の「${button}」を押すと、本人がパスワードを選ぶためのリンクができます。`,
    file: ['Import a file: CSV, Excel, NDJSON or JSON', 'ファイルを取り込む（CSV・Excel・NDJSON・JSON）'],
    call: ['Call the API:', 'API を呼び出す：'],
  },
  membersAdded: ['Members added', '追加された会員'],
  todosAdded: ['Todos added', '追加されたやること'],
  onDay: (day: string, n: string) => [`${day}: ${n}`, `${day}: ${n}`],
  atLeast: (n: string) => [`${n} or more`, `${n} 以上`],
  newest: ['Newest members', '新しい会員'],
  latest: ['Latest changes', '最近の変更'],
  birthdays: ['Birthdays', 'もうすぐ誕生日'],
  nextDays: ['The next 7 days', '今後 7 日間'],
  all: ['All', 'すべて'],
} satisfies TextTable
