/** The countries, and their names in both languages. */
import type { Language } from './language.ts'

/** ISO 3166-1 alpha-2 in lower case, and `xk` (Kosovo), which every geo database uses. */
export const countryCodes: readonly string[] = (
  'ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ' +
  'ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo ' +
  'fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je ' +
  'jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo ' +
  'mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw ' +
  'py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm ' +
  'tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws xk ye yt za zm zw'
).split(' ')

const codes = new Set(countryCodes)

/** Whether this is a country's code, in lower case. */
export const isCountry = (code: string): boolean => codes.has(code)

/** The names that are not those of Unicode's data: shorter ones, in use in shops of proxies. */
export const ownNames: Readonly<Record<string, Partial<Record<Language, string>>>> = {
  hk: { ru: 'Гонконг', en: 'Hong Kong' },
  mo: { ru: 'Макао', en: 'Macao' },
  ps: { ru: 'Палестина', en: 'Palestine' },
  us: { ru: 'США' },
}

const unicodeNames = new Map<Language, Intl.DisplayNames>()

/** Made when it is wanted: it costs a page milliseconds. */
function namesIn(language: Language): Intl.DisplayNames {
  const known = unicodeNames.get(language)
  if (known !== undefined) return known
  const names = new Intl.DisplayNames(language, { type: 'region' })
  unicodeNames.set(language, names)
  return names
}

/** The name of a country by its code, in either case; the code in capitals when it is none. */
export function countryName(code: string, language: Language): string {
  const [key, inCapitals] = [code.toLowerCase(), code.toUpperCase()]
  if (!isCountry(key)) return inCapitals
  return ownNames[key]?.[language] ?? namesIn(language).of(inCapitals) ?? inCapitals
}
