import '#console/app/style/index.css'
import { render } from 'preact'
import { watchRecovery } from '#console/app/api/metrics.ts'
import { watchDrops } from '#console/app/import/drop.tsx'
import { finishSignIn } from '#console/app/sign-in/flow.ts'
import { followPreferences } from '#console/app/state/preferences.ts'
import { App } from './app.tsx'

followPreferences()
watchRecovery()
watchDrops()
await finishSignIn()
const place = document.getElementById('app')
if (place) render(<App />, place)
