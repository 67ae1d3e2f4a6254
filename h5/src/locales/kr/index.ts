import { namespacesOf } from '../namespaces';

export default namespacesOf(import.meta.glob<Record<string, unknown>>('./*.json', { eager: true, import: 'default' }));
