/** One language: all its files in one chunk, by their names. */
export default import.meta.glob<Record<string, unknown>>('./*.json', { eager: true, import: 'default' });
