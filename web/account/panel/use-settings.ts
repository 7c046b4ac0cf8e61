import { useEffect, useRef, useState } from 'react'
import { clearSettings, defaultSettings, loadSettings, saveSettings, type Settings } from './settings.ts'

const undoMs = 5000

/** The settings on the screen, saved as they change; a reset can be taken back for five seconds. */
export function useSettings() {
  const [settings, setSettings] = useState(loadSettings)
  const [before, setBefore] = useState<Settings | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const change = (next: Settings) => {
    setSettings(next)
    saveSettings(next)
    setBefore(null)
  }
  const reset = () => {
    setBefore(settings)
    setSettings(defaultSettings)
    clearSettings()
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setBefore(null), undoMs)
  }
  const undo = before === null ? null : () => change(before)
  return { settings, change, reset, undo }
}
