// How metadata_tables.json.gz was made: writes the metadata tables of tables as Iceberg Java shows them.
//
// In: a file of lines "case <tab> (anything) <tab> metadata file", the tables where they were written, and a folder.
// Out: <folder>/<case with dots>.json. Classes of the Iceberg runtime and of Hadoop (Spark's jars) are needed.

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.*;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.*;

public class MetadataTables {
  public static void main(String[] arguments) throws Exception {
    for (String line : java.nio.file.Files.readAllLines(Paths.get(arguments[0]))) {
      String[] parts = line.split("\t");
      Table table = new BaseTable(new StaticTableOperations(parts[2], new HadoopFileIO(new Configuration())), "t");
      StringJoiner tables = new StringJoiner(",\n", "{\n", "\n}\n");
      for (MetadataTableType type : MetadataTableType.values()) {
        tables.add(quoted(type.name().toLowerCase(Locale.ROOT)) + ":" + shown(table, type));
      }
      Path out = Paths.get(arguments[1], parts[0].replace('/', '.') + ".json");
      java.nio.file.Files.write(out, tables.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  static String shown(Table base, MetadataTableType type) {
    Table table = MetadataTableUtils.createMetadataTableInstance(base, type);
    StringBuilder text = new StringBuilder("{\"schema\":" + SchemaParser.toJson(table.schema()));
    // Only Spark's own reader reads the rows of position deletes.
    if (type != MetadataTableType.POSITION_DELETES) {
      text.append(part("rows", "failed", () -> rows(table.newScan(), table.schema())));
      List<Snapshot> snapshots = new ArrayList<>();
      base.snapshots().forEach(snapshots::add);
      if (!type.name().startsWith("ALL_") && snapshots.size() > 1) {
        long id = snapshots.get(snapshots.size() / 2).snapshotId();
        text.append(",\"at\":" + id);
        text.append(part("rows_at", "failed_at", () -> rows(table.newScan().useSnapshot(id), table.schema())));
      }
    }
    return text.append("}").toString();
  }

  interface Work {
    String run() throws Exception;
  }

  static String part(String name, String failed, Work work) {
    try {
      return "," + quoted(name) + ":" + work.run();
    } catch (Throwable error) {
      return "," + quoted(failed) + ":" + quoted(error.getClass().getName() + ": " + error.getMessage());
    }
  }

  static String rows(TableScan scan, Schema schema) throws Exception {
    StringJoiner rows = new StringJoiner(",\n", "[\n", "]").setEmptyValue("[]");
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        try (CloseableIterable<StructLike> found = ((DataTask) task.asDataTask()).rows()) {
          found.forEach(row -> rows.add(value(schema.asStruct(), row)));
        }
      }
    }
    return rows.toString();
  }

  @SuppressWarnings("unchecked")
  static String value(Type type, Object value) {
    if (value == null) {
      return "null";
    }
    StringJoiner list = new StringJoiner(",", "[", "]");
    switch (type.typeId()) {
      case BOOLEAN: case INTEGER: case LONG: case DATE: case TIME: case TIMESTAMP: case TIMESTAMP_NANO:
        return value.toString();
      case FLOAT: case DOUBLE:
        double number = ((Number) value).doubleValue();
        return Double.isFinite(number) ? Double.toString(number) : quoted(Double.toString(number));
      case DECIMAL:
        return quoted(((java.math.BigDecimal) value).toPlainString());
      case FIXED: case BINARY:
        return quoted(hex(value instanceof byte[] ? ByteBuffer.wrap((byte[]) value) : (ByteBuffer) value));
      case GEOMETRY: case GEOGRAPHY:
        return quoted(hex(Conversions.toByteBuffer(type, value)));
      case STRUCT:
        List<Types.NestedField> fields = type.asStructType().fields();
        for (int place = 0; place < fields.size(); place++) {
          list.add(value(fields.get(place).type(), ((StructLike) value).get(place, Object.class)));
        }
        return list.toString();
      case LIST:
        ((Iterable<?>) value).forEach(each -> list.add(value(type.asListType().elementType(), each)));
        return list.toString();
      case MAP:
        TreeMap<Object, Object> sorted = new TreeMap<>();
        ((Map<Object, Object>) value)
            .forEach((key, item) -> sorted.put(key instanceof CharSequence ? key.toString() : key, item));
        Types.MapType map = type.asMapType();
        sorted.forEach(
            (key, item) -> list.add("[" + value(map.keyType(), key) + "," + value(map.valueType(), item) + "]"));
        return list.toString();
      default:
        return quoted(value.toString());
    }
  }

  static String hex(ByteBuffer bytes) {
    StringBuilder text = new StringBuilder();
    for (ByteBuffer rest = bytes.duplicate(); rest.hasRemaining(); ) {
      text.append(String.format("%02x", rest.get()));
    }
    return text.toString();
  }

  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char unit : text.toCharArray()) {
      boolean plain = unit >= 0x20 && unit <= 0x7e && unit != '"' && unit != '\\';
      quoted.append(plain ? String.valueOf(unit) : String.format("\\u%04x", (int) unit));
    }
    return quoted.append('"').toString();
  }
}
