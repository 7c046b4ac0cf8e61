/** Where the exits are: what a source brings, and the lists a customer picks places from. */
export { type Comparison, compareInventory, listPlaces } from './compare.ts'
export { seedDemoInventory } from './demo.ts'
export { findFile, type KnownFile, listFiles } from './files.ts'
export {
  type CsvSource,
  type Imported,
  type Importer,
  ImportFault,
  importInventory,
  sourceName,
} from './import.ts'
export { importNames } from './import.names.ts'
export { type StrangePlace, strangePlaces } from './judge.ts'
export { asnsOf, citiesOf, countriesOf, statesOf, type View, zipsOf } from './lists.ts'
export { type InventorySource, loadInventory } from './load.ts'
export {
  isDemoInventory,
  type KnownSource,
  listInventory,
  type RemovedSource,
  removeInventory,
} from './sources.ts'
export { placesNamed } from './named.ts'
export type { Inventory, InventoryNames, InventoryRow } from './rows.ts'
export { type NamedPlaces, unknownPlaces } from './unknown.ts'
