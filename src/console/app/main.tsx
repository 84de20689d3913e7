import '#console/app/style/index.css'
import { render } from 'preact'
import { watchRecovery } from '#console/app/api/metrics.ts'
import { finishSignIn } from '#console/app/sign-in/flow.ts'
import { watchDrops } from '#console/app/state/dropped-files.ts'
import { applyPreferences } from '#console/app/state/preferences.ts'
import { App } from './app.tsx'

applyPreferences()
watchRecovery()
watchDrops()
await finishSignIn()
const root = document.getElementById('app')
if (root) render(<App />, root)
