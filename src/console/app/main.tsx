import './style/index.css'
import { render } from 'preact'
import { watchRecovery } from './api/recovery.ts'
import { App } from './app.tsx'
import { watchDrops } from './import/dropping.ts'
import { finishSignIn } from './sign-in/flow.ts'
import { followPreferences } from './state/preferences.ts'

followPreferences()
watchRecovery()
watchDrops()
await finishSignIn()
const place = document.getElementById('app')
if (place) render(<App />, place)
