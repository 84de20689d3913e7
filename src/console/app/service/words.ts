import { textsIn } from '#console/app/words/texts.ts'

export const useServiceWords = textsIn({
  subtitle: ['Load and delays of the past hour.', 'サービスの状態です。'],
  now: ['now', '現在'],
  minutesAgo: (n: number) => [`${n} min ago`, `${n} 分前`],
  absentTitle: ['No metrics here', 'メトリクスがありません'],
  absentText: `
    This listener does not serve /metrics, so there is nothing to draw. Members and todos work as usual.
    このリスナーは /metrics に応答しないため、描くものがありません。会員とやることは通常どおり使えます。`,
  charts: {
    requests: ['Requests', 'リクエスト'],
    latency: ['Latency', '応答時間'],
    errors: ['Errors', 'エラー'],
    storage: ['Storage', 'ストレージ'],
    lag: ['Event-loop lag', 'イベントループ遅延'],
  },
  series: {
    reads: ['reads', '参照'],
    writes: ['changes', '変更'],
    p50: ['median', '中央値'],
    p99: ['99 %', '99 %'],
    clientErrors: ['4xx', '4xx'],
    serverErrors: ['5xx', '5xx'],
    commits: ['commits', 'コミット'],
    longest: ['longest', '最長'],
    mean: ['mean', '平均'],
  },
  units: { perSecond: ['/s', '/秒'], perMinute: ['/min', '/分'], ms: ['ms', 'ms'] },
  summary: (title: string, text: string) => [`${title}: ${text}`, `${title}: ${text}`],
})
