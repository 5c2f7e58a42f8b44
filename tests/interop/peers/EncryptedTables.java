// Encrypted tables of folders, by Iceberg Java: what its catalogs of Hive and REST do around its
// StandardEncryptionManager, over a folder.
//
// In: the folder of a table and a key file of Floeberg. Out: a Table that Java reads and writes as any other, and
// files of rows, equality deletes and deletion vectors, encrypted. The Java peer of the tests calls it.

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.*;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.data.GenericDeleteFilter;
import org.apache.iceberg.data.IdentityPartitionConverters;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.encryption.*;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.formats.ReadBuilder;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.hadoop.HadoopTableOperations;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.iceberg.util.ByteBuffers;
import org.apache.iceberg.util.LockManagers;
import org.apache.iceberg.util.PartitionUtil;

public class EncryptedTables {
  /** Keys of a key file: the last key of an id wraps, any of them unwraps. */
  public static class KeyFile implements KeyManagementClient {
    private final Map<String, List<byte[]>> keys = new HashMap<>();

    @Override
    public void initialize(Map<String, String> properties) {
      try {
        JsonNode found = new ObjectMapper().readTree(new File(properties.get("encryption.key-file"))).get("keys");
        found.fields().forEachRemaining(each -> {
          List<byte[]> versions = new ArrayList<>();
          each.getValue().forEach(version -> versions.add(Base64.getDecoder().decode(version.asText())));
          keys.put(each.getKey(), versions);
        });
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    private List<byte[]> versions(String id) {
      if (!keys.containsKey(id)) {
        throw new IllegalArgumentException("the key file has no key " + id);
      }
      return keys.get(id);
    }

    @Override
    public ByteBuffer wrapKey(ByteBuffer key, String id) {
      List<byte[]> versions = versions(id);
      byte[] newest = versions.get(versions.size() - 1);
      return ByteBuffer.wrap(new Ciphers.AesGcmEncryptor(newest).encrypt(ByteBuffers.toByteArray(key), null));
    }

    @Override
    public ByteBuffer unwrapKey(ByteBuffer wrapped, String id) {
      RuntimeException last = null;
      for (byte[] version : versions(id)) {
        try {
          return ByteBuffer.wrap(new Ciphers.AesGcmDecryptor(version).decrypt(ByteBuffers.toByteArray(wrapped), null));
        } catch (RuntimeException error) {
          last = error;
        }
      }
      throw last;
    }
  }

  /** A folder, as HadoopTables has it, whose files are encrypted where the table names a key. */
  public static class Operations extends HadoopTableOperations {
    private final KeyFile client = new KeyFile();
    private final long daysLater;
    private final Map<String, String> asked;
    private EncryptionManager manager;
    private TableMetadata of;

    Operations(String location, String keyFile, long daysLater, Map<String, String> asked) {
      super(
          new Path(location), new HadoopFileIO(new Configuration()), new Configuration(),
          LockManagers.defaultLockManager());
      this.client.initialize(Map.of("encryption.key-file", keyFile));
      this.daysLater = daysLater;
      this.asked = asked;
    }

    @Override
    public EncryptionManager encryption() {
      // Keys that were made for a commit stay in the manager until the metadata has these.
      if (manager == null || (of != current() && madeKeysAreKept())) {
        of = current();
        Map<String, String> properties = of == null ? asked : of.properties();
        manager =
            EncryptionUtil.createEncryptionManager(of == null ? List.of() : of.encryptionKeys(), properties, client);
        shift();
      }
      return manager;
    }

    private boolean madeKeysAreKept() {
      if (!(manager instanceof StandardEncryptionManager)) {
        return true;
      }
      List<String> kept = current().encryptionKeys().stream().map(EncryptedKey::keyId).toList();
      return kept.containsAll(EncryptionUtil.encryptionKeys(manager).keySet());
    }

    /** Let the manager believe that it is later: keys that encrypt keys are replaced after two years. */
    private void shift() {
      if (daysLater == 0 || !(manager instanceof StandardEncryptionManager)) {
        return;
      }
      try {
        var method = StandardEncryptionManager.class.getDeclaredMethod("setTestTimeShift", long.class);
        method.setAccessible(true);
        method.invoke(manager, daysLater * 24 * 3600 * 1000);
      } catch (ReflectiveOperationException error) {
        throw new IllegalStateException(error);
      }
    }

    @Override
    public FileIO io() {
      // Metadata files are plain, and asked for while the metadata is read.
      return of == null ? super.io() : EncryptingFileIO.combine(super.io(), manager);
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      TableMetadata.Builder builder = TableMetadata.buildFrom(metadata);
      if (encryption() instanceof StandardEncryptionManager) {
        EncryptionUtil.encryptionKeys(encryption()).values().forEach(builder::addEncryptionKey);
      }
      super.commit(base, base == null ? metadata : builder.build());
    }
  }

  /** Open a table. */
  public static Table open(String location, String keyFile, long daysLater) {
    Operations operations = new Operations(location, keyFile, daysLater, Map.of());
    operations.current();
    operations.encryption();
    return new BaseTable(operations, location);
  }

  /** Make a table of format version 3. */
  public static Table create(
      String location, String keyFile, String schema, String spec, Map<String, String> properties) {
    Schema columns = SchemaParser.fromJson(schema);
    Map<String, String> all = new HashMap<>(properties);
    all.put("format-version", "3");
    TableMetadata metadata =
        TableMetadata.newTableMetadata(
            columns, PartitionSpecParser.fromJson(columns, spec), SortOrder.unsorted(), location, all);
    new Operations(location, keyFile, 0, properties).commit(null, metadata);
    return open(location, keyFile, 0);
  }

  /**
   * Read rows. Java's generic reader opens delete files without their keys; Spark's readers are given opened ones, as here.
   */
  public static List<Record> rows(Table table, Expression filter) throws IOException {
    List<Record> found = new ArrayList<>();
    Evaluator evaluator = new Evaluator(table.schema().asStruct(), filter, true);
    try (CloseableIterable<FileScanTask> tasks = table.newScan().filter(filter).planFiles()) {
      for (FileScanTask task : tasks) {
        GenericDeleteFilter deletes =
            new GenericDeleteFilter(table.io(), task, table.schema(), table.schema()) {
              @Override
              protected InputFile loadInputFile(DeleteFile file) {
                return table.io().newInputFile(file);
              }
            };
        ReadBuilder<Record, ?> builder =
            FormatModelRegistry.readBuilder(task.file().format(), Record.class, table.io().newInputFile(task.file()));
        Schema wanted = deletes.requiredSchema();
        InternalRecordWrapper wrapper = new InternalRecordWrapper(table.schema().asStruct());
        try (CloseableIterable<Record> records =
            deletes.filter(
                builder.project(wanted).idToConstant(PartitionUtil.constantsMap(task, IdentityPartitionConverters::convertConstant))
                    .split(task.start(), task.length()).build())) {
          for (Record record : records) {
            if (evaluator.eval(wrapper.wrap(record))) {
              found.add(record.copy());
            }
          }
        }
      }
    }
    return found;
  }

  /** Write a data file of records in Iceberg's own representation. */
  public static DataFile dataFile(Table table, StructLike partition, List<StructLike> records) throws IOException {
    EncryptedOutputFile output = output(table, partition, format(table));
    DataWriter<StructLike> writer =
        new DataWriter<>(
            appender(table, table.schema(), output), format(table), output.encryptingOutputFile().location(),
            table.spec(), partition, output.keyMetadata());
    try (writer) {
      records.forEach(writer::write);
    }
    return writer.toDataFile();
  }

  /** Write a file of equality deletes. */
  public static DeleteFile equalityDeletes(
      Table table, StructLike partition, List<String> names, List<StructLike> records) throws IOException {
    Schema keys = table.schema().select(names);
    int[] ids = names.stream().mapToInt(name -> table.schema().findField(name).fieldId()).toArray();
    EncryptedOutputFile output = output(table, partition, format(table));
    EqualityDeleteWriter<StructLike> writer =
        new EqualityDeleteWriter<>(
            appender(table, keys, output), format(table), output.encryptingOutputFile().location(), table.spec(),
            partition, output.keyMetadata(), null, ids);
    try (writer) {
      records.forEach(writer::write);
    }
    return writer.toDeleteFile();
  }

  /** Write a deletion vector of a data file. */
  public static DeleteFile vector(Table table, DataFile file, List<? extends Number> positions) throws IOException {
    StructLike partition = file.partition();
    PartitionSpec spec = table.specs().get(file.specId());
    EncryptedOutputFile output = output(table, spec.isPartitioned() ? partition : null, FileFormat.PUFFIN);
    BaseDVFileWriter writer = new BaseDVFileWriter(output::encryptingOutputFile, path -> null);
    positions.forEach(position -> writer.delete(file.location(), position.longValue(), spec, partition));
    writer.close();
    DeleteFile made = writer.result().deleteFiles().get(0);
    // Java 1.11 leaves the key out of what it says of the file; later versions write it so.
    ByteBuffer key = EncryptionUtil.setFileLength(output.keyMetadata().buffer(), made.fileSizeInBytes());
    return FileMetadata.deleteFileBuilder(spec).copy(made).withEncryptionKeyMetadata(key).build();
  }

  private static FileFormat format(Table table) {
    return FileFormat.fromString(table.properties().getOrDefault("write.format.default", "parquet"));
  }

  private static EncryptedOutputFile output(Table table, StructLike partition, FileFormat format) {
    String name = format.addExtension(UUID.randomUUID().toString());
    String location =
        partition == null
            ? table.locationProvider().newDataLocation(name)
            : table.locationProvider().newDataLocation(table.spec(), partition, name);
    OutputFile plain = table.io().newOutputFile(location);
    return table.encryption().encrypt(plain);
  }

  private static FileAppender<StructLike> appender(Table table, Schema schema, EncryptedOutputFile output)
      throws IOException {
    MetricsConfig metrics = MetricsConfig.forTable(table);
    if (format(table) == FileFormat.AVRO) {
      return Avro.write(output)
          .schema(schema)
          .setAll(table.properties())
          .metricsConfig(metrics)
          .createWriterFunc(org.apache.iceberg.avro.InternalWriter::create)
          .build();
    }
    return Parquet.write(output)
        .schema(schema)
        .setAll(table.properties())
        .metricsConfig(metrics)
        .createWriterFunc(org.apache.iceberg.data.parquet.InternalWriter::createWriter)
        .build();
  }
}
