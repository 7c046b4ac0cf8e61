/** Where the exits are: what a source brings, and the lists a customer picks places from. */
export { countryName, type Language } from './country.ts'
export { seedDemoInventory } from './demo.ts'
export { type Imported, ImportFault, importInventory } from './import.ts'
export { importNames } from './import.names.ts'
export { type StrangePlace, strangePlaces } from './judge.ts'
export { asnsOf, citiesOf, countriesOf, statesOf, type View, zipsOf } from './lists.ts'
export {
  type Inventory,
  type InventoryNames,
  type InventoryRow,
  type InventorySource,
  loadInventory,
} from './load.ts'
export { isDemoInventory, type KnownSource, listInventory, removeInventory } from './sources.ts'
export { placesNamed } from './named.ts'
export { type NamedPlaces, unknownPlaces } from './unknown.ts'
