/** The states and cities built into Turnpike: see demo/build.ts. */
import { readFile } from 'node:fs/promises'
import { type KnownPlace, slug } from './place-ids.ts'

export interface AtlasCity {
  id: string
  thousands: number
  /** A number; empty where there is none. */
  zip: string
}

export interface AtlasState {
  /** Null: these cities belong to no state. */
  id: string | null
  cities: AtlasCity[]
}

export interface Atlas {
  countries: Map<string, AtlasState[]>
  states: KnownPlace[]
  cities: KnownPlace[]
}

/** Parses the tree of world.txt: countries, their states behind one tab, the states' cities behind two. */
export async function readAtlas(): Promise<Atlas> {
  const atlas: Atlas = { countries: new Map(), states: [], cities: [] }
  const text = await readFile(new URL('demo/world.txt', import.meta.url), 'utf8')
  let country = ''
  let states: AtlasState[] = []
  let state: AtlasState = { id: null, cities: [] }
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    if (!line.startsWith('\t')) {
      country = line
      atlas.countries.set(country, (states = []))
    } else if (!line.startsWith('\t\t')) {
      const [, code = '', nameEn = '', nameRu] = line.split('\t')
      const id = code === '-' ? null : `${country}_${code}`
      states.push((state = { id, cities: [] }))
      if (id !== null) atlas.states.push({ id, parent: country, nameEn, nameRu: nameRu || nameEn })
    } else {
      const [, , nameEn = '', nameRu, thousands, zip = ''] = line.split('\t')
      const parent = state.id ?? country
      const id = `${parent}_${slug(nameEn)}`
      state.cities.push({ id, thousands: Number(thousands), zip })
      atlas.cities.push({ id, parent, nameEn, nameRu: nameRu || nameEn })
    }
  }
  return atlas
}
