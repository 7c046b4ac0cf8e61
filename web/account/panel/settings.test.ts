import { afterEach, describe, expect, it } from 'vitest'
import { clearSettings, defaultSettings, loadSettings, saveSettings, settingsKey } from './settings.ts'

afterEach(() => localStorage.clear())

describe('the saved settings', () => {
  it('are the defaults when nothing is saved', () => {
    expect(loadSettings()).toEqual({
      countries: [],
      states: [],
      cities: [],
      zipcodes: [],
      included_asn: [],
      excluded_asn: [],
      anon: true,
      session_type: 'rotating',
      access_format: 'login:password:hostname:port',
      protocol: 'https',
      proxy_amount: 0,
      interval: 0,
      pool: 'residential',
      region: 'eur',
    })
  })

  it('are restored as they were saved under panel-settings', () => {
    const chosen = {
      ...defaultSettings,
      pool: 'mobile' as const,
      interval: 30,
      countries: [{ code: 'us', name: 'United States' }],
      cities: [{ code: 'austin', name: 'Austin', state_code: 'texas', country_code: 'us' }],
      excluded_asn: [{ asn: 15169, name: 'Google' }],
    }
    saveSettings(chosen)
    expect(localStorage.getItem('panel-settings')).not.toBeNull()
    expect(loadSettings()).toEqual(chosen)
  })

  it.each(['', 'not json', 'null', '42', '[]', '"text"', '{"pool":'])('are the defaults for %j', (text) => {
    localStorage.setItem(settingsKey, text)
    expect(loadSettings()).toEqual(defaultSettings)
  })

  it('keep the valid fields where another is invalid', () => {
    localStorage.setItem(
      settingsKey,
      JSON.stringify({
        pool: 'moon',
        protocol: 'socks5',
        interval: 20_000,
        proxy_amount: 5,
        countries: 'us',
        anon: false,
      }),
    )
    expect(loadSettings()).toEqual({ ...defaultSettings, protocol: 'socks5', proxy_amount: 5, anon: false })
  })

  it('are removed by a reset', () => {
    saveSettings({ ...defaultSettings, interval: 9 })
    clearSettings()
    expect(localStorage.getItem(settingsKey)).toBeNull()
  })
})
